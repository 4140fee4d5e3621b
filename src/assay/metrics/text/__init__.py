"""Metrics of text: translations, summaries, captions, answers, transcripts and tags beside their references."""
