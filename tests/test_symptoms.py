"""The second door: from plain words to a case, a chapter, an everyday error, or to *not known*."""

import json

import pytest

from bookkit import entries, publish
from tools import score
from trace_evidence import __main__ as command_line
from trace_evidence import symptoms

CASES = entries.cases()


def test_the_phrases_name_entries_and_topics_have_names_of_their_own():
    known = publish.doubts()
    assert set(known["says"]) <= set(entries.load())
    assert not set(known["elsewhere"]) & set(entries.load())
    for rows in [*known["says"].values(), *known["elsewhere"].values()]:
        assert len(rows) == len(set(rows))


def test_as_many_doubts_are_answered_or_refused_as_were_counted():
    """`tests/reports/README.md` has the counts."""
    found = [*score.doubts()]
    for labelled, share in ((True, 55), (False, 62)):
        well = [row.well for row in found if row.labelled == labelled]
        assert 100 * sum(well) >= share * len(well), f"{sum(well)} of {len(well)}"


def test_nine_in_ten_of_their_own_phrases_find_the_cases():
    silent = [case for case in CASES.values() if case.kind == "silent"]
    phrases = [(case.name, phrase) for case in silent for phrase in case.phrases]
    missed = [
        (slug, phrase)
        for slug, phrase in phrases
        if slug not in {row.id for row in symptoms.search(phrase)}
    ]
    assert len(missed) <= len(phrases) / 10, missed


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ("floats lose their precision by rounding", "numbers"),
        ("weights unchanged after optimizer step", "optimizers"),
        ("other result on several GPUs", "devices"),
        ("variance of the sum of two normals is 4 instead of 2", "key-reuse"),
        ("two normals drawn with the same key are equal", "key-reuse"),
        ("my chains run one after the other on the CPU", "not-enough-devices"),
        ("采样器发散", "divergences-unsaid"), ("训练没有效果", "optimizers"),
        ("多设备梯度太大", "gradient-per-device"), ("浮点数精度丢失", "numbers"),
        ("单精度下似然太大", "float32-likelihood"), ("进度条不显示", ""), ("怎样保存图片", ""),
        ("怎样画出计算图", ""), ("模型导出为 ONNX 格式", ""), ("我的模型训练很慢", ""),
        # A number or one word decides nothing.
        ("hasOwnProperty", ""), ("__proto__ toString", ""), ("", ""), ("!!!", ""), ("zzz", ""),
        ("2 2.0 0.10.2", ""), ("gradient", ""),
    ],
)  # fmt: skip
def test_words_in_english_and_chinese_are_answered_or_refused(words, right):
    found = {row.id for row in symptoms.search(words)}
    assert right in found if right else not found, found


def test_the_command_ranks_words_and_says_what_to_try(capsys):
    assert command_line.main(["symptoms", "memory grows with every call"]) == 0
    assert capsys.readouterr().out.startswith("1. Functions passed as static arguments")
    assert command_line.main(["symptoms", "async", "checkpoint", "hangs"]) == 1
    said = capsys.readouterr().out
    assert all(word in said for word in ("Not known", "examine", "JAX_DISABLE_JIT", "float64"))
    assert command_line.main(["symptoms", "--json", "memory grows with every call"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["format"] == command_line.FORMAT
    assert found["cases"][0]["id"] == "static-callables-pile-up"
    keys = {"id", "title", "score", "symptom", "cure", "versions", "page"}
    assert set(found["cases"][0]) == keys


def test_a_guess_is_called_a_guess_and_says_what_else_to_try():
    guess = symptoms.search("posterior looks wrong")
    assert guess and guess[0].score < symptoms.SURE
    for line in (symptoms.UNSURE, symptoms.ADVICE[1]):
        assert line in symptoms.describe(guess)
        assert line not in symptoms.describe(symptoms.search("random walk is a straight line"))
