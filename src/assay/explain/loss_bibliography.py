"""Full citations of the works that records of losses name."""

from __future__ import annotations

LOSS_REFERENCES: dict[str, str] = {
    "abraham2019": (
        "N. Abraham, N. M. Khan (2019). A novel focal Tversky loss function with improved attention U-Net for "
        "lesion segmentation. ISBI 2019, 683–687."
    ),
    "arjovsky2017": (
        "M. Arjovsky, S. Chintala, L. Bottou (2017). Wasserstein generative adversarial networks. ICML 2017, PMLR "
        "70, 214–223."
    ),
    "bengio2003": (
        "Y. Bengio, R. Ducharme, P. Vincent, C. Jauvin (2003). A neural probabilistic language model. Journal of "
        "Machine Learning Research 3, 1137–1155."
    ),
    "berman2018": (
        "M. Berman, A. Rannen Triki, M. B. Blaschko (2018). The Lovász-Softmax loss: a tractable surrogate for "
        "the optimization of the intersection-over-union measure in neural networks. CVPR 2018, 4413–4421."
    ),
    "bromley1993": (
        'J. Bromley, I. Guyon, Y. LeCun, E. Säckinger, R. Shah (1993). Signature verification using a "Siamese" '
        "time delay neural network. Advances in Neural Information Processing Systems 6, 737–744."
    ),
    "burges2005": (
        "C. Burges, T. Shaked, E. Renshaw, A. Lazier, M. Deeds, N. Hamilton, G. Hullender (2005). Learning to "
        "rank using gradient descent. ICML 2005, 89–96."
    ),
    "chen2020": (
        "T. Chen, S. Kornblith, M. Norouzi, G. Hinton (2020). A simple framework for contrastive learning of visual "
        "representations. ICML 2020, 1597–1607."
    ),
    "chen2021": "X. Chen, K. He (2021). Exploring simple Siamese representation learning. CVPR 2021, 15750–15758.",
    "crammer2001": (
        "K. Crammer, Y. Singer (2001). On the algorithmic implementation of multiclass kernel-based vector "
        "machines. Journal of Machine Learning Research 2, 265–292."
    ),
    "cuturi2013": (
        "M. Cuturi (2013). Sinkhorn distances: lightspeed computation of optimal transport. Advances in Neural "
        "Information Processing Systems 26, 2292–2300."
    ),
    "deng2019": (
        "J. Deng, J. Guo, N. Xue, S. Zafeiriou (2019). ArcFace: additive angular margin loss for deep face "
        "recognition. CVPR 2019, 4690–4699."
    ),
    "dice1945": (
        "L. R. Dice (1945). Measures of the amount of ecologic association between species. Ecology 26(3), 297–302."
    ),
    "dinh2017": (
        "L. Dinh, J. Sohl-Dickstein, S. Bengio (2017). Density estimation using Real NVP. ICLR 2017. arXiv:1605.08803."
    ),
    "feydy2019": (
        "J. Feydy, T. Séjourné, F.-X. Vialard, S. Amari, A. Trouvé, G. Peyré (2019). Interpolating between optimal "
        "transport and MMD using Sinkhorn divergences. AISTATS 2019, PMLR 89, 2681–2690."
    ),
    "fisher1922": (
        "R. A. Fisher (1922). On the mathematical foundations of theoretical statistics. Philosophical "
        "Transactions of the Royal Society of London A 222, 309–368."
    ),
    "genevay2018": (
        "A. Genevay, G. Peyré, M. Cuturi (2018). Learning generative models with Sinkhorn divergences. AISTATS 2018, "
        "PMLR 84, 1608–1617."
    ),
    "goodfellow2014": (
        "I. Goodfellow, J. Pouget-Abadie, M. Mirza, B. Xu, D. Warde-Farley, S. Ozair, A. Courville, Y. Bengio "
        "(2014). Generative adversarial nets. Advances in Neural Information Processing Systems 27, 2672–2680."
    ),
    "gulrajani2017": (
        "I. Gulrajani, F. Ahmed, M. Arjovsky, V. Dumoulin, A. Courville (2017). Improved training of Wasserstein "
        "GANs. Advances in Neural Information Processing Systems 30, 5767–5777."
    ),
    "gutmann2012": (
        "M. U. Gutmann, A. Hyvärinen (2012). Noise-contrastive estimation of unnormalized statistical models, with "
        "applications to natural image statistics. Journal of Machine Learning Research 13, 307–361."
    ),
    "hadsell2006": (
        "R. Hadsell, S. Chopra, Y. LeCun (2006). Dimensionality reduction by learning an invariant mapping. CVPR 2006, "
        "1735–1742."
    ),
    "hang2023": (
        "T. Hang, S. Gu, C. Li, J. Bao, D. Chen, H. Hu, X. Geng, B. Guo (2023). Efficient diffusion training via "
        "min-SNR weighting strategy. ICCV 2023. arXiv:2303.09556."
    ),
    "herbrich2000": (
        "R. Herbrich, T. Graepel, K. Obermayer (2000). Large margin rank boundaries for ordinal regression. "
        "Advances in Large Margin Classifiers, MIT Press, 115–132."
    ),
    "hermans2017": (
        "A. Hermans, L. Beyer, B. Leibe (2017). In defense of the triplet loss for person re-identification. "
        "arXiv:1703.07737."
    ),
    "higgins2017": (
        "I. Higgins, L. Matthey, A. Pal, C. Burgess, X. Glorot, M. Botvinick, S. Mohamed, A. Lerchner (2017). "
        "beta-VAE: learning basic visual concepts with a constrained variational framework. ICLR 2017."
    ),
    "hinton2002": (
        "G. E. Hinton (2002). Training products of experts by minimizing contrastive divergence. Neural Computation "
        "14(8), 1771–1800."
    ),
    "ho2020": (
        "J. Ho, A. Jain, P. Abbeel (2020). Denoising diffusion probabilistic models. Advances in Neural Information "
        "Processing Systems 33, 6840–6851."
    ),
    "isensee2021": (
        "F. Isensee, P. F. Jaeger, S. A. A. Kohl, J. Petersen, K. H. Maier-Hein (2021). nnU-Net: a self-configuring method for "
        "deep learning-based biomedical image segmentation. Nature Methods 18(2), 203–211."
    ),
    "kendall2018": (
        "A. Kendall, Y. Gal, R. Cipolla (2018). Multi-task learning using uncertainty to weigh losses for scene geometry and "
        "semantics. CVPR 2018, 7482–7491."
    ),
    "kingma2014": "D. P. Kingma, M. Welling (2014). Auto-encoding variational Bayes. ICLR 2014. arXiv:1312.6114.",
    "kool2019": (
        "W. Kool, H. van Hoof, M. Welling (2019). Buy 4 REINFORCE samples, get a baseline for free! ICLR 2019 "
        "Workshop on Deep Reinforcement Learning Meets Structured Prediction."
    ),
    "kullback1951": (
        "S. Kullback, R. A. Leibler (1951). On information and sufficiency. The Annals of Mathematical Statistics "
        "22(1), 79–86."
    ),
    "leng2022": (
        "Z. Leng, M. Tan, C. Liu, E. D. Cubuk, X. Shi, S. Cheng, D. Anguelov (2022). PolyLoss: a polynomial "
        "expansion perspective of classification loss functions. ICLR 2022."
    ),
    "lim2017": "J. H. Lim, J. C. Ye (2017). Geometric GAN. arXiv:1705.02894.",
    "liu2017": (
        "W. Liu, Y. Wen, Z. Yu, M. Li, B. Raj, L. Song (2017). SphereFace: deep hypersphere embedding for face "
        "recognition. CVPR 2017, 212–220."
    ),
    "lovasz1983": (
        "L. Lovász (1983). Submodular functions and convexity. Mathematical Programming: The State of the Art, "
        "Springer, 235–257."
    ),
    "mao2017": (
        "X. Mao, Q. Li, H. Xie, R. Y. K. Lau, Z. Wang, S. P. Smolley (2017). Least squares generative adversarial "
        "networks. ICCV 2017, 2794–2802."
    ),
    "milletari2016": (
        "F. Milletari, N. Navab, S.-A. Ahmadi (2016). V-Net: fully convolutional neural networks for volumetric "
        "medical image segmentation. 3DV 2016, 565–571."
    ),
    "nichol2021": (
        "A. Q. Nichol, P. Dhariwal (2021). Improved denoising diffusion probabilistic models. ICML 2021, PMLR 139, "
        "8162–8171."
    ),
    "nix1994": (
        "D. A. Nix, A. S. Weigend (1994). Estimating the mean and variance of the target probability distribution. "
        "IEEE International Conference on Neural Networks, 55–60."
    ),
    "oord2018": (
        "A. van den Oord, Y. Li, O. Vinyals (2018). Representation learning with contrastive predictive coding. "
        "arXiv:1807.03748."
    ),
    "radford2021": (
        "A. Radford, J. W. Kim, C. Hallacy, et al. (2021). Learning transferable visual models from natural language "
        "supervision. ICML 2021, 8748–8763."
    ),
    "rahman2016": (
        "M. A. Rahman, Y. Wang (2016). Optimizing intersection-over-union in deep neural networks for image "
        "segmentation. ISVC 2016, Lecture Notes in Computer Science 10072, 234–244."
    ),
    "redmon2016": (
        "J. Redmon, S. Divvala, R. Girshick, A. Farhadi (2016). You only look once: unified, real-time object "
        "detection. CVPR 2016, 779–788."
    ),
    "rezatofighi2019": (
        "H. Rezatofighi, N. Tsoi, J. Gwak, A. Sadeghian, I. Reid, S. Savarese (2019). Generalized intersection over "
        "union: a metric and a loss for bounding box regression. CVPR 2019, 658–666."
    ),
    "rezende2015": (
        "D. J. Rezende, S. Mohamed (2015). Variational inference with normalizing flows. ICML 2015, PMLR 37, 1530–1538."
    ),
    "rifkin2004": (
        "R. Rifkin, A. Klautau (2004). In defense of one-vs-all classification. Journal of Machine Learning "
        "Research 5, 101–141."
    ),
    "rumelhart1986": (
        "D. E. Rumelhart, G. E. Hinton, R. J. Williams (1986). Learning representations by back-propagating errors. "
        "Nature 323, 533–536."
    ),
    "salehi2017": (
        "S. S. M. Salehi, D. Erdogmus, A. Gholipour (2017). Tversky loss function for image segmentation using 3D "
        "fully convolutional deep networks. MLMI 2017, Lecture Notes in Computer Science 10541, 379–387."
    ),
    "salimans2016": (
        "T. Salimans, I. Goodfellow, W. Zaremba, V. Cheung, A. Radford, X. Chen (2016). Improved techniques for "
        "training GANs. Advances in Neural Information Processing Systems 29, 2234–2242."
    ),
    "salimans2022": (
        "T. Salimans, J. Ho (2022). Progressive distillation for fast sampling of diffusion models. ICLR 2022. "
        "arXiv:2202.00512."
    ),
    "schroff2015": (
        "F. Schroff, D. Kalenichenko, J. Philbin (2015). FaceNet: a unified embedding for face recognition and "
        "clustering. CVPR 2015, 815–823."
    ),
    "shen2016": (
        "S. Shen, Y. Cheng, Z. He, W. He, H. Wu, M. Sun, Y. Liu (2016). Minimum risk training for neural machine "
        "translation. ACL 2016, 1683–1692."
    ),
    "sudre2017": (
        "C. H. Sudre, W. Li, T. Vercauteren, S. Ourselin, M. J. Cardoso (2017). Generalised Dice overlap as a "
        "deep learning loss function for highly unbalanced segmentations. DLMIA 2017, Lecture Notes in Computer "
        "Science 10553, 240–248."
    ),
    "sun2020": (
        "Y. Sun, C. Cheng, Y. Zhang, C. Zhang, L. Zheng, Z. Wang, Y. Wei (2020). Circle loss: a unified perspective of "
        "pair similarity optimization. CVPR 2020, 6398–6407."
    ),
    "taigman2014": (
        "Y. Taigman, M. Yang, M. Ranzato, L. Wolf (2014). DeepFace: closing the gap to human-level performance in face "
        "verification. CVPR 2014, 1701–1708."
    ),
    "theis2016": (
        "L. Theis, A. van den Oord, M. Bethge (2016). A note on the evaluation of generative models. ICLR 2016. "
        "arXiv:1511.01844."
    ),
    "tieleman2008": (
        "T. Tieleman (2008). Training restricted Boltzmann machines using approximations to the likelihood gradient. "
        "ICML 2008, 1064–1071."
    ),
    "tversky1977": "A. Tversky (1977). Features of similarity. Psychological Review 84(4), 327–352.",
    "vallender1974": (
        "S. S. Vallender (1974). Calculation of the Wasserstein distance between probability distributions on the "
        "line. Theory of Probability and Its Applications 18(4), 784–786."
    ),
    "vapnik1992": (
        "V. Vapnik (1992). Principles of risk minimization for learning theory. Advances in Neural Information Processing "
        "Systems 4, 831–838."
    ),
    "villani2009": "C. Villani (2009). Optimal transport: old and new. Springer.",
    "wang2018": (
        "H. Wang, Y. Wang, Z. Zhou, X. Ji, D. Gong, J. Zhou, Z. Li, W. Liu (2018). CosFace: large margin cosine loss "
        "for deep face recognition. CVPR 2018, 5265–5274."
    ),
    "wen2016": (
        "Y. Wen, K. Zhang, Z. Li, Y. Qiao (2016). A discriminative feature learning approach for deep face "
        "recognition. ECCV 2016, Lecture Notes in Computer Science 9911, 499–515."
    ),
    "wijmans2025": (
        "E. Wijmans, B. Huval, A. Hertzberg, V. Koltun, P. Krähenbühl (2025). Cut your losses in large-vocabulary "
        "language models. ICLR 2025."
    ),
    "williams1992": (
        "R. J. Williams (1992). Simple statistical gradient-following algorithms for connectionist reinforcement "
        "learning. Machine Learning 8, 229–256."
    ),
    "yu2015": (
        "J. Yu, M. Blaschko (2015). Learning submodular losses with the Lovász hinge. ICML 2015, PMLR 37, 1623–1631."
    ),
    "yu2016": (
        "J. Yu, Y. Jiang, Z. Wang, Z. Cao, T. Huang (2016). UnitBox: an advanced object detection network. ACM "
        "Multimedia 2016, 516–520."
    ),
    "zbontar2021": (
        "J. Zbontar, L. Jing, I. Misra, Y. LeCun, S. Deny (2021). Barlow Twins: self-supervised learning via "
        "redundancy reduction. ICML 2021, 12310–12320."
    ),
    "zheng2020": (
        "Z. Zheng, P. Wang, W. Liu, J. Li, R. Ye, D. Ren (2020). Distance-IoU loss: faster and better learning for "
        "bounding box regression. AAAI 2020, 34(07), 12993–13000."
    ),
}
