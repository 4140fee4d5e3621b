"""Full citations of the works that records name; `explain` and the documentation print them from here."""

from __future__ import annotations

from assay.explain.loss_bibliography import LOSS_REFERENCES

REFERENCES: dict[str, str] = {
    **LOSS_REFERENCES,
    "akinshin2023": "A. Akinshin (2023). Weighted quantile estimators. arXiv:2304.07265.",
    "benjamini1995": (
        "Y. Benjamini, Y. Hochberg (1995). Controlling the false discovery rate: a practical and powerful approach "
        "to multiple testing. Journal of the Royal Statistical Society B 57(1), 289–300."
    ),
    "boyd2013": (
        "K. Boyd, K. H. Eng, C. D. Page (2013). Area under the precision-recall curve: point estimates and "
        "confidence intervals. ECML PKDD 2013, Lecture Notes in Computer Science 8190, 451–466."
    ),
    "brier1950": (
        "G. W. Brier (1950). Verification of forecasts expressed in terms of probability. Monthly Weather Review "
        "78(1), 1–3."
    ),
    "brodersen2010": (
        "K. H. Brodersen, C. S. Ong, K. E. Stephan, J. M. Buhmann (2010). The balanced accuracy and its posterior "
        "distribution. 20th International Conference on Pattern Recognition, 3121–3124."
    ),
    "brummer2013": (
        "N. Brümmer, E. de Villiers (2013). The BOSARIS Toolkit: theory, algorithms and code for surviving the new "
        "DCF. arXiv:1304.2865."
    ),
    "cohen1960": (
        "J. Cohen (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement "
        "20(1), 37–46."
    ),
    "cohen1968": (
        "J. Cohen (1968). Weighted kappa: nominal scale agreement with provision for scaled disagreement or partial "
        "credit. Psychological Bulletin 70(4), 213–220."
    ),
    "cortes1995": "C. Cortes, V. Vapnik (1995). Support-vector networks. Machine Learning 20(3), 273–297.",
    "davis2006": (
        "J. Davis, M. Goadrich (2006). The relationship between Precision-Recall and ROC curves. Proceedings of the "
        "23rd International Conference on Machine Learning, 233–240."
    ),
    "elkan2001": (
        "C. Elkan (2001). The foundations of cost-sensitive learning. Proceedings of the 17th International Joint "
        "Conference on Artificial Intelligence, 973–978."
    ),
    "feng2018": (
        "Z.-H. Feng, J. Kittler, M. Awais, P. Huber, X.-J. Wu (2018). Wing loss for robust facial landmark localisation with "
        "convolutional neural networks. CVPR 2018, 2235–2245."
    ),
    "ferro2014": (
        "C. A. T. Ferro (2014). Fair scores for ensemble forecasts. Quarterly Journal of the Royal Meteorological "
        "Society 140(683), 1917–1923."
    ),
    "gauss1809": (
        "C. F. Gauss (1809). Theoria motus corporum coelestium in sectionibus conicis solem ambientium. Perthes and "
        "Besser, Hamburg."
    ),
    "girshick2015": "R. Girshick (2015). Fast R-CNN. ICCV 2015, 1440–1448.",
    "gneiting2007": (
        "T. Gneiting, A. E. Raftery (2007). Strictly proper scoring rules, prediction, and estimation. Journal of "
        "the American Statistical Association 102(477), 359–378."
    ),
    "good1952": "I. J. Good (1952). Rational decisions. Journal of the Royal Statistical Society B 14(1), 107–114.",
    "gorodkin2004": (
        "J. Gorodkin (2004). Comparing two K-category assignments by a K-category correlation coefficient. "
        "Computational Biology and Chemistry 28(5–6), 367–374."
    ),
    "grother2019": (
        "P. Grother, M. Ngan, K. Hanaoka (2019). Face Recognition Vendor Test (FRVT) Part 3: demographic effects. "
        "NIST Interagency Report 8280, National Institute of Standards and Technology."
    ),
    "guo2017": (
        "C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger (2017). On calibration of modern neural networks. Proceedings "
        "of the 34th International Conference on Machine Learning, PMLR 70, 1321–1330."
    ),
    "hampel1974": (
        "F. R. Hampel (1974). The influence curve and its role in robust estimation. Journal of the American "
        "Statistical Association 69(346), 383–393."
    ),
    "hand1997": "D. J. Hand (1997). Construction and Assessment of Classification Rules. Wiley, Chichester.",
    "hand2001": (
        "D. J. Hand, R. J. Till (2001). A simple generalisation of the area under the ROC curve for multiple class "
        "classification problems. Machine Learning 45(2), 171–186."
    ),
    "hanley1982": (
        "J. A. Hanley, B. J. McNeil (1982). The meaning and use of the area under a receiver operating "
        "characteristic (ROC) curve. Radiology 143(1), 29–36."
    ),
    "huber1964": (
        "P. J. Huber (1964). Robust estimation of a location parameter. The Annals of Mathematical Statistics 35(1), 73–101."
    ),
    "hyndman2006": (
        "R. J. Hyndman, A. B. Koehler (2006). Another look at measures of forecast accuracy. International Journal "
        "of Forecasting 22(4), 679–688."
    ),
    "jaccard1912": "P. Jaccard (1912). The distribution of the flora in the alpine zone. New Phytologist 11(2), 37–50.",
    "kendall1945": "M. G. Kendall (1945). The treatment of ties in ranking problems. Biometrika 33(3), 239–251.",
    "kent1955": (
        "A. Kent, M. M. Berry, F. U. Luehrs, J. W. Perry (1955). Machine literature searching VIII. Operational "
        "criteria for designing information retrieval systems. American Documentation 6(2), 93–101."
    ),
    "kent1983": "J. T. Kent (1983). Information gain and a general measure of correlation. Biometrika 70(1), 163–173.",
    "koenker1978": "R. Koenker, G. Bassett (1978). Regression quantiles. Econometrica 46(1), 33–50.",
    "kumar2019": (
        "A. Kumar, P. S. Liang, T. Ma (2019). Verified uncertainty calibration. Advances in Neural Information "
        "Processing Systems 32."
    ),
    "laplace1774": (
        "P. S. Laplace (1774). Mémoire sur la probabilité des causes par les évènements. Mémoires de mathématique et "
        "de physique présentés à l'Académie royale des sciences par divers savans 6, 621–656."
    ),
    "lin2017": "T.-Y. Lin, P. Goyal, R. Girshick, K. He, P. Dollár (2017). Focal loss for dense object detection. ICCV 2017, 2980–2988.",
    "makridakis2020": (
        "S. Makridakis, E. Spiliotis, V. Assimakopoulos (2020). The M4 Competition: 100,000 time series and 61 "
        "forecasting methods. International Journal of Forecasting 36(1), 54–74."
    ),
    "matthews1975": (
        "B. W. Matthews (1975). Comparison of the predicted and observed secondary structure of T4 phage lysozyme. "
        "Biochimica et Biophysica Acta (Protein Structure) 405(2), 442–451."
    ),
    "mcclish1989": "D. K. McClish (1989). Analyzing a portion of the ROC curve. Medical Decision Making 9(3), 190–195.",
    "murphy1977": (
        "A. H. Murphy, R. L. Winkler (1977). Reliability of subjective probability forecasts of precipitation and "
        "temperature. Journal of the Royal Statistical Society C 26(1), 41–47."
    ),
    "murphy1988": (
        "A. H. Murphy (1988). Skill scores based on the mean square error and their relationships to the correlation "
        "coefficient. Monthly Weather Review 116(12), 2417–2424."
    ),
    "nelder1972": (
        "J. A. Nelder, R. W. M. Wedderburn (1972). Generalized linear models. Journal of the Royal Statistical Society A "
        "135(3), 370–384."
    ),
    "pang2019": (
        "J. Pang, K. Chen, J. Shi, H. Feng, W. Ouyang, D. Lin (2019). Libra R-CNN: towards balanced learning for object "
        "detection. CVPR 2019, 821–830."
    ),
    "pearson1895": (
        "K. Pearson (1895). Note on regression and inheritance in the case of two parents. Proceedings of the Royal "
        "Society of London 58, 240–242."
    ),
    "pearson1904": (
        "K. Pearson (1904). On the theory of contingency and its relation to association and normal correlation. "
        "Drapers' Company Research Memoirs, Biometric Series I. Dulau, London."
    ),
    "rijsbergen1979": "C. J. van Rijsbergen (1979). Information Retrieval, 2nd edition. Butterworths, London.",
    "russakovsky2015": (
        "O. Russakovsky, J. Deng, H. Su, J. Krause, S. Satheesh, S. Ma, Z. Huang, A. Karpathy, A. Khosla, M. "
        "Bernstein, A. C. Berg, L. Fei-Fei (2015). ImageNet large scale visual recognition challenge. International "
        "Journal of Computer Vision 115(3), 211–252."
    ),
    "saleh2022": "R. A. Saleh, A. K. M. E. Saleh (2022). Statistical properties of the log-cosh loss function. arXiv:2208.04564.",
    "spearman1904": (
        "C. Spearman (1904). The proof and measurement of association between two things. American Journal of "
        "Psychology 15(1), 72–101."
    ),
    "szegedy2016": (
        "C. Szegedy, V. Vanhoucke, S. Ioffe, J. Shlens, Z. Wojna (2016). Rethinking the Inception architecture for computer "
        "vision. CVPR 2016, 2818–2826."
    ),
    "theil1961": "H. Theil (1961). Economic Forecasts and Policy, 2nd edition. North-Holland, Amsterdam.",
    "tsoumakas2007": (
        "G. Tsoumakas, I. Katakis (2007). Multi-label classification: an overview. International Journal of Data "
        "Warehousing and Mining 3(3), 1–13."
    ),
    "winkler1972": (
        "R. L. Winkler (1972). A decision-theoretic approach to interval estimation. Journal of the American "
        "Statistical Association 67(337), 187–191."
    ),
    "wright1921": "S. Wright (1921). Correlation and causation. Journal of Agricultural Research 20(7), 557–585.",
    "yerushalmy1947": (
        "J. Yerushalmy (1947). Statistical problems in assessing methods of medical diagnosis, with special "
        "reference to X-ray techniques. Public Health Reports 62(40), 1432–1449."
    ),
    "cheng2021": (
        "B. Cheng, R. Girshick, P. Dollár, A. C. Berg, A. Kirillov (2021). Boundary IoU: improving object-centric image "
        "segmentation evaluation. CVPR 2021, 15334–15342."
    ),
    "csurka2013": (
        "G. Csurka, D. Larlus, F. Perronnin (2013). What is a good evaluation measure for semantic segmentation? BMVC 2013."
    ),
    "bolya2020": (
        "D. Bolya, S. Foley, J. Hays, J. Hoffman (2020). TIDE: a general toolbox for identifying object detection errors. ECCV "
        "2020, 558–573."
    ),
    "gupta2019": (
        "A. Gupta, P. Dollár, R. Girshick (2019). LVIS: a dataset for large vocabulary instance segmentation. CVPR 2019, 5356–5364."
    ),
    "hosang2016": (
        "J. Hosang, R. Benenson, P. Dollár, B. Schiele (2016). What makes for effective detection proposals? IEEE Transactions on "
        "Pattern Analysis and Machine Intelligence 38(4), 814–830."
    ),
    "lin2014": (
        "T.-Y. Lin, M. Maire, S. Belongie, and others (2014). Microsoft COCO: common objects in context. ECCV 2014, 740–755."
    ),
    "padilla2021": (
        "R. Padilla, W. L. Passos, T. L. B. Dias, S. L. Netto, E. A. B. da Silva (2021). A comparative analysis of object "
        "detection metrics with a companion open-source toolkit. Electronics 10(3), 279."
    ),
    "everingham2015": (
        "M. Everingham, S. M. A. Eslami, L. Van Gool, C. K. I. Williams, J. Winn, A. Zisserman (2015). The Pascal visual object "
        "classes challenge: a retrospective. International Journal of Computer Vision 111(1), 98–136."
    ),
    "heimann2009": (
        "T. Heimann, B. van Ginneken, M. A. Styner, and others (2009). Comparison and evaluation of methods for liver "
        "segmentation from CT datasets. IEEE Transactions on Medical Imaging 28(8), 1251–1265."
    ),
    "huttenlocher1993": (
        "D. P. Huttenlocher, G. A. Klanderman, W. J. Rucklidge (1993). Comparing images using the Hausdorff distance. IEEE "
        "Transactions on Pattern Analysis and Machine Intelligence 15(9), 850–863."
    ),
    "kirillov2019": (
        "A. Kirillov, K. He, R. Girshick, C. Rother, P. Dollár (2019). Panoptic segmentation. CVPR 2019, 9404–9413."
    ),
    "long2015": (
        "J. Long, E. Shelhamer, T. Darrell (2015). Fully convolutional networks for semantic segmentation. CVPR 2015, 3431–3440."
    ),
    "nikolov2021": (
        "S. Nikolov, S. Blackwell, A. Zverovitch, and others (2021). Clinically applicable segmentation of head and neck anatomy "
        "for radiotherapy: deep learning algorithm development and validation study. Journal of Medical Internet Research "
        "23(7), e26151."
    ),
    "barratt2018": "S. Barratt, R. Sharma (2018). A note on the inception score. arXiv:1801.01973.",
    "binkowski2018": "M. Bińkowski, D. J. Sutherland, M. Arbel, A. Gretton (2018). Demystifying MMD GANs. ICLR 2018.",
    "chong2020": (
        "M. J. Chong, D. Forsyth (2020). Effectively unbiased FID and inception score and where to find them. CVPR 2020, "
        "6070–6079."
    ),
    "heusel2017": (
        "M. Heusel, H. Ramsauer, T. Unterthiner, B. Nessler, S. Hochreiter (2017). GANs trained by a two time-scale update rule "
        "converge to a local Nash equilibrium. Advances in Neural Information Processing Systems 30, 6626–6637."
    ),
    "huynh2008": (
        "Q. Huynh-Thu, M. Ghanbari (2008). Scope of validity of PSNR in image/video quality assessment. Electronics Letters "
        "44(13), 800–801."
    ),
    "kynkaanniemi2019": (
        "T. Kynkäänniemi, T. Karras, S. Laine, J. Lehtinen, T. Aila (2019). Improved precision and recall metric for assessing "
        "generative models. Advances in Neural Information Processing Systems 32, 3927–3936."
    ),
    "naeem2020": (
        "M. F. Naeem, S. J. Oh, Y. Uh, Y. Choi, J. Yoo (2020). Reliable fidelity and diversity metrics for generative models. "
        "ICML 2020, 7176–7185."
    ),
    "wang2003": (
        "Z. Wang, E. P. Simoncelli, A. C. Bovik (2003). Multiscale structural similarity for image quality assessment. 37th "
        "Asilomar Conference on Signals, Systems and Computers, 1398–1402."
    ),
    "wang2004": (
        "Z. Wang, A. C. Bovik, H. R. Sheikh, E. P. Simoncelli (2004). Image quality assessment: from error visibility to "
        "structural similarity. IEEE Transactions on Image Processing 13(4), 600–612."
    ),
}
