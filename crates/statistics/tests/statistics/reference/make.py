#!/usr/bin/env python3
"""Computes reference values for the statistics tests with independent implementations, and writes values.json.

    python3 -m venv venv
    venv/bin/pip install -r crates/statistics/tests/statistics/reference/requirements.txt
    venv/bin/python crates/statistics/tests/statistics/reference/make.py
"""
import itertools
import json
import math
import pathlib

import krippendorff
import numpy as np
import pandas as pd
import pingouin
from irrCAC.raw import CAC
from scipy import stats
from sklearn import metrics
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

random = np.random.default_rng(20240501)
nan = math.nan

# Krippendorff (2011), "Computing Krippendorff's alpha-reliability": four observers, twelve units, gaps.
KRIPPENDORFF_2011 = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
    [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
]

# Fleiss (1971), the worked example as it is usually printed: ten subjects, fourteen raters, five classes.
FLEISS_1971 = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]

# Shrout & Fleiss (1979), table 2: six targets, four judges.
SHROUT_FLEISS_1979 = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]

# The table by which Cohen's kappa is shown low although nearly all agree (Feinstein & Cicchetti 1990; Gwet 2008).
PARADOX = [[118, 5], [2, 0]]


def number(value):
    """A finite number, or nothing."""
    return float(value) if math.isfinite(float(value)) else None


def rows(table):
    """Pairs of labels for a two-way table of counts."""
    return [(first, second) for first, line in enumerate(table) for second, count in enumerate(line) for _ in range(count)]


def labels(name, items, classes):
    """All figures on labels; items are rows of labels from 0, NaN where missing."""
    items = np.array(items, dtype=float)
    raters = items.shape[1]
    known = ~np.isnan(items)
    case = {
        "name": name, "classes": classes,
        "items": [[None if math.isnan(label) else int(label) for label in item] for item in items],
        "krippendorff_alpha": number(krippendorff.alpha(
            reliability_data=items.T, level_of_measurement="nominal", value_domain=list(range(classes)))),
        "gwet_ac1": number(CAC(pd.DataFrame(items[known.any(axis=1)]), categories=[float(c) for c in range(classes)],
                               digits=15).gwet()["est"]["coefficient_value"]),
    }
    same = pairs = 0
    for item in items:
        given = item[~np.isnan(item)]
        same += sum(first == second for first, second in itertools.combinations(given, 2))
        pairs += len(given) * (len(given) - 1) // 2
    case["raw"] = same / pairs
    complete = items[known.all(axis=1)].astype(int)
    if raters == 2:
        first, second = complete.T
        case["cohen_kappa"] = number(metrics.cohen_kappa_score(first, second, labels=list(range(classes))))
        case["baseline"] = max(np.bincount(first)) / len(first)
        case["confusion"] = metrics.confusion_matrix(first, second, labels=list(range(classes))).tolist()
        if classes == 2:
            case["precision"] = metrics.precision_score(first, second, pos_label=0)
            case["recall"] = metrics.recall_score(first, second, pos_label=0)
            case["f1"] = metrics.f1_score(first, second, pos_label=0)
            case["over_passing"] = 1 - metrics.recall_score(first, second, pos_label=0)
            case["over_failing"] = 1 - metrics.recall_score(first, second, pos_label=1)
    elif len(complete):
        case["fleiss_kappa"] = number(fleiss_kappa(aggregate_raters(complete, n_cat=classes)[0]))
    return case


def random_items(count, raters, classes, missing, agreement):
    """Labels of raters that often take the first one's, some of them lost."""
    truth = random.choice(classes, size=(count, 1), p=np.arange(1, classes + 1) / sum(range(1, classes + 1)))
    other = random.integers(classes, size=(count, raters))
    items = np.where(random.random((count, raters)) < agreement, truth, other).astype(float)
    items[random.random((count, raters)) < missing] = nan
    return items


def icc_intervals(matrix, share=0.975):
    """McGraw & Wong (1996), table 7, from mean squares computed here."""
    matrix = np.array(matrix, dtype=float)
    n, k = matrix.shape
    grand = matrix.mean()
    items = k * ((matrix.mean(axis=1) - grand) ** 2).sum() / (n - 1)
    raters = n * ((matrix.mean(axis=0) - grand) ** 2).sum() / (k - 1)
    rest = matrix - matrix.mean(axis=1, keepdims=True) - matrix.mean(axis=0, keepdims=True) + grand
    error = (rest ** 2).sum() / ((n - 1) * (k - 1))
    ratio = items / error
    low, high = ratio / stats.f.ppf(share, n - 1, (n - 1) * (k - 1)), ratio * stats.f.ppf(share, (n - 1) * (k - 1), n - 1)
    consistency = [(low - 1) / (low + k - 1), (high - 1) / (high + k - 1)]
    rho = (items - error) / (items + (k - 1) * error + k * (raters - error) / n)
    a, b = k * rho / (n * (1 - rho)), 1 + k * rho * (n - 1) / (n * (1 - rho))
    freedom = (a * raters + b * error) ** 2 / ((a * raters) ** 2 / (k - 1) + (b * error) ** 2 / ((n - 1) * (k - 1)))
    low, high = stats.f.ppf(share, n - 1, freedom), stats.f.ppf(share, freedom, n - 1)
    rest = k * raters + (k * n - k - n) * error
    agreement = [n * (items - low * error) / (low * rest + n * items),
                 n * (high * items - error) / (rest + n * high * items)]
    return agreement, consistency


def scores(name, items):
    """All figures on scores; items are rows of scores, NaN where missing."""
    items = np.array(items, dtype=float)
    complete = items[~np.isnan(items).any(axis=1)]
    frame = pd.DataFrame(
        [(item, rater, score) for item, line in enumerate(complete) for rater, score in enumerate(line)],
        columns=["item", "rater", "score"])
    table = pingouin.intraclass_corr(data=frame, targets="item", raters="rater", ratings="score")
    table.index = [kind.replace("(", "").replace(")", "").replace(",", "") for kind in table["Type"]]
    agreement, consistency = icc_intervals(complete)
    pick = lambda *names: next(table.loc[name] for name in names if name in table.index)
    two, three = pick("ICC2", "ICCA1"), pick("ICC3", "ICCC1")
    column = next(column for column in table.columns if column.startswith("CI95"))
    assert np.allclose(two[column], agreement, atol=0.0051) and np.allclose(three[column], consistency, atol=0.0051)
    return {
        "name": name, "items": [[None if math.isnan(score) else score for score in item] for item in items],
        "icc_agreement": number(two["ICC"]), "icc_agreement_interval": [number(end) for end in agreement],
        "icc_consistency": number(three["ICC"]), "icc_consistency_interval": [number(end) for end in consistency],
        "krippendorff_alpha": number(krippendorff.alpha(reliability_data=items.T, level_of_measurement="interval")),
    }


def sign_flip(differences):
    """The exact two-sided sign-flip test."""
    result = stats.permutation_test((np.array(differences),), np.mean, permutation_type="samples", n_resamples=np.inf)
    return {"differences": differences, "p_value": number(result.pvalue)}


def welch(first, second):
    """Welch's test of two groups."""
    return {"first": list(first), "second": list(second),
            "p_value": number(stats.ttest_ind(first, second, equal_var=False).pvalue)}


def make():
    """All reference values."""
    label_cases = [
        labels("Krippendorff 2011", np.array(KRIPPENDORFF_2011).T - 1, 5),
        labels("Fleiss 1971", [[c for c, n in enumerate(line) for _ in range(n)] for line in FLEISS_1971], 5),
        labels("paradox of kappa", rows(PARADOX), 2),
        labels("textbook table", rows([[20, 5], [10, 15]]), 2),
    ]
    for number_of, (count, raters, classes, missing, agreement) in enumerate([
            (80, 2, 2, 0.0, 0.7), (200, 2, 2, 0.1, 0.9), (150, 2, 4, 0.2, 0.5), (60, 3, 2, 0.0, 0.6),
            (90, 3, 3, 0.15, 0.8), (120, 5, 2, 0.3, 0.4), (40, 7, 6, 0.05, 0.0)]):
        items = random_items(count, raters, classes, missing, agreement)
        label_cases.append(labels(f"random {number_of + 1}", items, classes))
    score_cases = [scores("Shrout and Fleiss 1979", SHROUT_FLEISS_1979)]
    for number_of, (count, raters, missing, noise) in enumerate([(30, 2, 0.0, 5), (50, 3, 0.1, 12), (80, 4, 0.05, 40)]):
        items = random.normal(70, 15, (count, 1)) + random.normal(0, noise, (count, raters)) + np.arange(raters) * 3
        items = np.round(items, 2)
        items[random.random(items.shape) < missing] = nan
        score_cases.append(scores(f"random {number_of + 1}", items))
    small = [list(np.round(random.normal(shift, 8, size), 2)) for shift, size in [(0, 5), (4, 9), (2, 14), (6, 18)]]
    tables = [(0, 0), (1, 0), (3, 9), (10, 10), (2, 17), (40, 61), (900, 1010), (15000, 15400)]
    fishers = [(3, 10, 9, 12), (0, 20, 4, 20), (5, 5, 5, 5), (12, 100, 30, 140), (0, 7, 0, 9), (700, 10000, 810, 10200)]
    p_values = [0.01, 0.04, 0.03, 0.005, 0.5, 0.04, 1.0, 0.0002]
    return {
        "labels": label_cases,
        "scores": score_cases,
        "sign_flip": [sign_flip(differences) for differences in small + [[1.0, 1.0, 1.0, -1.0], [0.5, 0.0, -0.5]]],
        "mcnemar": [{"only_first": b, "only_second": c,
                     "p_value": number(mcnemar([[50, b], [c, 30]], exact=True).pvalue)} for b, c in tables],
        "fisher": [{"first_hits": a, "first_cases": n, "second_hits": b, "second_cases": m,
                    "p_value": number(stats.fisher_exact([[a, n - a], [b, m - b]])[1])} for a, n, b, m in fishers],
        "welch": [
            welch([3.0, 4.0, 1.0, 2.1], [490.2, 340.0, 433.9]),
            welch(random.normal(60, 10, 25).round(2), random.normal(66, 20, 40).round(2)),
            welch(random.normal(60, 10, 2).round(2), random.normal(60, 3, 30).round(2)),
            welch([5.0, 5.0, 5.0], random.normal(5.2, 1, 12).round(2)),
            welch(random.normal(60, 10, 900).round(2), random.normal(60.9, 12, 800).round(2)),
            welch(random.normal(60, 10, 300).round(2), random.normal(62.5, 11, 280).round(2)),
        ],
        "holm": {"p_values": p_values, "adjusted": [number(p) for p in multipletests(p_values, method="holm")[1]]},
        "wilson": [{"hits": hits, "cases": cases, "interval": [number(end) for end in
                    proportion_confint(hits, cases, method="wilson")]}
                   for hits, cases in [(0, 20), (3, 20), (20, 20), (1, 1), (17, 58), (2310, 100000)]],
    }


def write(values):
    """One case a line."""
    parts = []
    for name, cases in values.items():
        lines = cases if isinstance(cases, list) else [cases]
        body = ",\n".join("  " + json.dumps(case, default=float) for case in lines)
        parts.append(f' "{name}": [\n{body}\n ]')
    path = pathlib.Path(__file__).with_name("values.json")
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


write(make())
