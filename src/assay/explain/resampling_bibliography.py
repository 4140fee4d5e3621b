"""Full citations of the works that the entries on resampling name."""

from __future__ import annotations

WORKS: dict[str, str] = {
    "alpaydin1999": (
        "E. Alpaydın (1999). Combined 5 × 2 cv F test for comparing supervised classification learning algorithms. Neural "
        "Computation 11(8), 1885–1892."
    ),
    "angelopoulos2023": (
        "A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan, T. Zrnic (2023). Prediction-powered inference. Science 382, "
        "669–674."
    ),
    "bates2024": (
        "S. Bates, T. Hastie, R. Tibshirani (2024). Cross-validation: what does it estimate and how well does it do it? Journal of "
        "the American Statistical Association 119(546), 1434–1445."
    ),
    "bayle2020": (
        "P. Bayle, A. Bayle, L. Janson, L. Mackey (2020). Cross-validation confidence intervals for test error. NeurIPS 33, "
        "16339–16350."
    ),
    "bengio2004": (
        "Y. Bengio, Y. Grandvalet (2004). No unbiased estimator of the variance of k-fold cross-validation. Journal of Machine "
        "Learning Research 5, 1089–1105."
    ),
    "bergmeir2012": (
        "C. Bergmeir, J. M. Benítez (2012). On the use of cross-validation for time series predictor evaluation. Information "
        "Sciences 191, 192–213."
    ),
    "cawley2010": (
        "G. C. Cawley, N. L. C. Talbot (2010). On over-fitting in model selection and subsequent selection bias in performance "
        "evaluation. Journal of Machine Learning Research 11, 2079–2107."
    ),
    "corani2015": (
        "G. Corani, A. Benavoli (2015). A Bayesian approach for comparing cross-validated algorithms on multiple data sets. Machine "
        "Learning 100(2–3), 285–304."
    ),
    "cortes1994": (
        "C. Cortes, L. D. Jackel, S. A. Solla, V. Vapnik, J. S. Denker (1994). Learning curves: asymptotic values and rate of "
        "convergence. NIPS 6, 327–334."
    ),
    "demsar2006": (
        "J. Demšar (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning Research 7, "
        "1–30."
    ),
    "dietterich1998": (
        "T. G. Dietterich (1998). Approximate statistical tests for comparing supervised classification learning algorithms. "
        "Neural Computation 10(7), 1895–1923."
    ),
    "domingos2000": (
        "P. Domingos (2000). A unified bias-variance decomposition for zero-one and squared loss. AAAI 2000, 564–569."
    ),
    "efron1983": (
        "B. Efron (1983). Estimating the error rate of a prediction rule: improvement on cross-validation. Journal of the American "
        "Statistical Association 78(382), 316–331."
    ),
    "efron1997": (
        "B. Efron, R. Tibshirani (1997). Improvements on cross-validation: the .632+ bootstrap method. Journal of the American "
        "Statistical Association 92(438), 548–560."
    ),
    "geman1992": (
        "S. Geman, E. Bienenstock, R. Doursat (1992). Neural networks and the bias/variance dilemma. Neural Computation 4(1), 1–58."
    ),
    "kohavi1995": (
        "R. Kohavi (1995). A study of cross-validation and bootstrap for accuracy estimation and model selection. IJCAI 1995, "
        "1137–1143."
    ),
    "nadeau2003": "C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine Learning 52(3), 239–281.",
    "roberts2017": (
        "D. R. Roberts et al. (2017). Cross-validation strategies for data with temporal, spatial, hierarchical, or phylogenetic "
        "structure. Ecography 40(8), 913–929."
    ),
    "schulz2024": (
        "H. Schulz-Kümpel, S. Fischer, R. Hornung, A.-L. Boulesteix, T. Nagler, B. Bischl (2024). Constructing confidence intervals "
        "for «the» generalization error: a comprehensive benchmark study. arXiv:2409.18836."
    ),
    "stone1974": (
        "M. Stone (1974). Cross-validatory choice and assessment of statistical predictions. Journal of the Royal Statistical "
        "Society B 36(2), 111–147."
    ),
    "varma2006": (
        "S. Varma, R. Simon (2006). Bias in error estimation when using cross-validation for model selection. BMC Bioinformatics 7, "
        "91."
    ),
}
