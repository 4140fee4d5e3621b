"""Classification metrics: one small file per metric or tight family."""
