"""Speed of assay beside its fastest peers, on the same data, in the same run. Only ratios mean anything."""
