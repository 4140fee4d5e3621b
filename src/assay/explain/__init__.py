"""What assay knows about its entries in words: explanations, pitfalls, topics and the bibliography."""
