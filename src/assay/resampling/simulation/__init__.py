"""Known truths to simulate from: true risks, bias and variance of learners, quality of estimators."""
