"""Transforms of texts; tokens are those of MindSpore 2.10."""
import numpy as np
import pytest

import msjit as ms
from msjit import dataset as ds
from msjit.dataset import text

SAMPLE = np.array("Hello  wörld, it's\ta 中文 test!")


def array(*words):
    return np.array(words)


@pytest.fixture
def vocab():
    return text.Vocab.from_list(["a", "b", "[UNK]", "un", "##aff", "##able", "hello"], ["<p>"])


def test_vocab(vocab, tmp_path):
    assert vocab.vocab() == {"<p>": 0, "a": 1, "b": 2, "[UNK]": 3, "un": 4, "##aff": 5, "##able": 6, "hello": 7}
    assert vocab.tokens_to_ids("a") == 1 and vocab.tokens_to_ids(["b", "zz"]) == [2, -1]
    assert vocab.ids_to_tokens(1) == "a" and vocab.ids_to_tokens([2, 99]) == ["b", ""]
    assert vocab.tokens_to_ids(["b"]) == 2 and vocab.ids_to_tokens([2]) == "b" and vocab.tokens_to_ids([]) == []
    (tmp_path / "v.txt").write_text("p,1\nq,2\nr,3\n")
    assert text.Vocab.from_file(str(tmp_path / "v.txt"), ",", 2, ["<s>"]).vocab() == {"<s>": 0, "p": 1, "q": 2}
    data = ds.GeneratorDataset([(array("b", "a", "b"),), (array("c", "a", "b"),)], ["t"], shuffle=False)
    assert text.Vocab.from_dataset(data, "t").vocab() == {"b": 0, "a": 1, "c": 2}
    found = text.Vocab.from_dataset(data, "t", (2, 3), 1, ["<u>"], False)
    assert found.vocab() == {"b": 0, "<u>": 1}
    for make, error in ((lambda: text.Vocab.from_list(["a", "a"]), ValueError), (lambda: text.Vocab.from_dict({"a": "b"}), TypeError)):
        with pytest.raises(error):
            make()


def test_lookup(vocab):
    found = text.Lookup(vocab, "[UNK]")(array("a", "zzz"))
    assert found.tolist() == [1, 3] and found.dtype == np.int32
    with pytest.raises(RuntimeError, match="word, got 'zzz'"):
        text.Lookup(vocab)(array("zzz"))
    data = ds.NumpySlicesDataset(["a b", "zz b"], ["t"], shuffle=False)
    data = data.map([text.WhitespaceTokenizer(), text.Lookup(vocab, "[UNK]", ms.int64)], "t")
    assert [row[0].tolist() for row in data] == [[1, 2], [3, 2]]


def parts(found):
    return tuple(part.tolist() for part in found)


def test_offsets(vocab):
    assert parts(text.BasicTokenizer(with_offsets=True)(np.array("aé, 中[SEP] b"))) == (
        ["aé", ",", "中", "[SEP]", "b"], [0, 3, 5, 8, 14], [3, 4, 8, 13, 15])
    # offsets are those in the text after it was folded
    assert parts(text.BasicTokenizer(True, True, with_offsets=True)(np.array("É ﬁn\u200b ①"))) == (
        ["e", " ", "fin", " ", "1"], [0, 1, 2, 5, 6], [1, 2, 5, 6, 7])
    assert parts(text.BasicTokenizer(with_offsets=True)(np.array(" "))) == ([""], [0], [0])
    assert text.BasicTokenizer(False, True)(np.array("a\u3000b\tc")).tolist() == ["a", "\u3000", "b", " ", "c"]
    found = text.WordpieceTokenizer(vocab, with_offsets=True)(array("unaffable", "中z", "a"))
    assert parts(found) == (["un", "##aff", "##able", "[UNK]", "a"], [0, 2, 5, 0, 0], [2, 5, 9, 4, 1])
    assert found[1].dtype == np.uint32
    assert parts(text.BertTokenizer(vocab, lower_case=True, with_offsets=True)(np.array("Hello, UNaffable"))) == (
        ["hello", "[UNK]", "un", "##aff", "##able"], [0, 5, 7, 9, 12], [5, 6, 9, 12, 16])
    for make in (lambda: text.BasicTokenizer(1), lambda: text.BertTokenizer(vocab, lower_case="a"), lambda: text.WordpieceTokenizer(vocab, 1)):
        with pytest.raises(TypeError):
            make()
    with pytest.raises(RuntimeError):
        text.WordpieceTokenizer(vocab)(np.array([["a"]]))


def test_case_fold():
    assert text.CaseFold()(array("ÀÉ ﬁne ① ㎏", "ẞß İ a\u00adb")).tolist() == ["àé fine 1 kg", "ssss i\u0307 ab"]


def test_tokenizers(vocab):
    assert text.WhitespaceTokenizer()(SAMPLE).tolist() == ["Hello", "wörld,", "it's", "a", "中文", "test!"]
    tokens, start, end = text.WhitespaceTokenizer(True)(np.array("a 中 b"))
    assert (tokens.tolist(), start.tolist(), end.tolist()) == (["a", "中", "b"], [0, 2, 6], [1, 5, 7])
    assert text.UnicodeCharTokenizer()(array("ab")[0]).tolist() == ["a", "b"]
    assert text.RegexTokenizer(r"\s+", r"\s+")(np.array("a  b")).tolist() == ["a", "  ", "b"]
    assert text.BasicTokenizer(True)(SAMPLE).tolist() == ["hello", "world", ",", "it", "'", "s", "a", "中", "文", "test", "!"]
    assert text.BasicTokenizer(False, True)(SAMPLE).tolist() == [
        "Hello", "  ", "wörld", ",", " ", "it", "'", "s", " ", "a", " ", "中", "文", " ", "test", "!"]
    assert text.BasicTokenizer()(np.array("[CLS] x[unused1]")).tolist() == ["[CLS]", "x", "[unused1]"]
    assert text.WordpieceTokenizer(vocab)(array("unaffable", "zz", "a")).tolist() == ["un", "##aff", "##able", "[UNK]", "a"]
    assert text.BertTokenizer(vocab, lower_case=True)(np.array("HELLO b!")).tolist() == ["hello", "b", "[UNK]"]
    assert text.PythonTokenizer(str.split)(np.array("p q")).tolist() == ["p", "q"]
    assert text.WhitespaceTokenizer()(np.array("  ")).tolist() == [""]


def test_other_transforms():
    assert text.CaseFold()(array("AbC")).tolist() == ["abc"]
    assert text.RegexReplace(r"(\w)-(\w)", "$2+$1")(np.array("a-b_c")).tolist() == "b+a_c"
    assert text.ToNumber(ms.float32)(array("1.5", "-2e3")).tolist() == [1.5, -2000.0]
    with pytest.raises(RuntimeError, match="no number"):
        text.ToNumber(ms.int8)(array("300"))
    pair = text.TruncateSequencePair(5)(np.arange(5), np.arange(3))
    assert [p.tolist() for p in pair] == [[0, 1, 2], [0, 1]] and text.Truncate(2)(np.arange(5)).tolist() == [0, 1]
    assert text.SlidingWindow(2)(np.arange(3)).tolist() == [[0, 1], [1, 2]]
    assert text.Ngram([1, 3], ("<", 2), (">", 2), "-")(array("a", "b")).tolist() == ["a", "b", "<-<-a", "<-a-b", "a-b->", "b->->"]
    assert text.AddToken("T", False)(array("a")).tolist() == ["a", "T"]
    assert text.to_str(text.to_bytes(array("ä"))).tolist() == ["ä"]


def test_vectors(tmp_path):
    for name in ("v.txt", "glove.6B.t.txt", "f.vec"):
        (tmp_path / name).write_text("4 3\nok 0.1 0.2 0.3\n! 0.4 0.5 0.6\nthis 1.5 2 -3\nok 9 9 9\n")
    words = array("ok", "This", "zz")
    for kind, name in ((text.Vectors, "v.txt"), (text.GloVe, "glove.6B.t.txt"), (text.FastText, "f.vec")):
        found = text.ToVectors(kind.from_file(str(tmp_path / name)))(words)
        assert found.dtype == np.float32 and np.allclose(found, [[0.1, 0.2, 0.3], [0] * 3, [0] * 3])
    vectors = text.Vectors.from_file(str(tmp_path / "v.txt"))
    assert np.allclose(text.ToVectors(vectors, [1, 2, 3.0], True)(words), [[0.1, 0.2, 0.3], [1.5, 2, -3], [1, 2, 3]])
    assert text.ToVectors(vectors)(np.array("ok")).shape == (3,)
    assert not text.ToVectors(text.Vectors.from_file(str(tmp_path / "v.txt"), 2))(array("this")).any()
    (tmp_path / "c.txt").write_text("2gram-ok 1 2\n3gram-ok#END# 4 4\n1gram-a -1 3\n")
    assert text.ToVectors(text.CharNGram.from_file(str(tmp_path / "c.txt")))(array("ok", "a")).tolist() == [[2.5, 3], [0, 0]]
    (tmp_path / "bad.txt").write_text("a 1 2\nb 1\n")
    for make, error in ((lambda: text.GloVe.from_file(str(tmp_path / "v.txt")), RuntimeError), (lambda: text.Vectors.from_file("/none"), RuntimeError),
                        (lambda: text.Vectors.from_file(str(tmp_path / "bad.txt")), RuntimeError), (lambda: text.Vectors.from_file(1), TypeError),
                        (lambda: text.Vectors.from_file(str(tmp_path / "v.txt"), -1), ValueError), (lambda: text.ToVectors(1), TypeError),
                        (lambda: text.ToVectors(vectors, "a"), TypeError), (lambda: text.ToVectors(vectors, [1.0])(words), RuntimeError)):
        with pytest.raises(error):
            make()


def test_numbers_and_patterns():
    assert text.ToNumber(ms.int32)(array("1.5", " 12", "0x1")).tolist() == [1, 12, 0]
    assert text.ToNumber(ms.float64)(array("1e2x", "-inf", ".5")).tolist() == [100, -np.inf, 0.5]
    assert text.RegexReplace("(?<n>a)(c)?", r"[${n}$2$0\$]")(np.array("ab")).tolist() == "[aa$]b"
    assert text.SlidingWindow(6)(np.arange(5)).shape == (0,)


@pytest.mark.parametrize("make, error", [
    (lambda: text.Ngram("a"), ValueError), (lambda: text.Ngram([]), ValueError), (lambda: text.Ngram((1, 2)), ValueError),
    (lambda: text.Ngram(2, 1), ValueError), (lambda: text.Ngram(2, ("a", -1)), ValueError), (lambda: text.Ngram(2, separator=1), TypeError),
    (lambda: text.Truncate(0), ValueError), (lambda: text.Truncate(1)(np.array("a")), RuntimeError), (lambda: text.AddToken("x")(np.array("a")), RuntimeError),
    (lambda: text.TruncateSequencePair(1)(np.arange(2)), RuntimeError), (lambda: text.ToNumber(ms.bool_), TypeError), (lambda: text.CaseFold()(), RuntimeError),
    (lambda: text.RegexReplace("a", "b", 1), TypeError), (lambda: text.RegexReplace("a", "$1")(np.array("a")), RuntimeError),
    (lambda: text.PythonTokenizer(str.split)("a b"), TypeError), (lambda: text.to_bytes(1), ValueError), (lambda: text.SlidingWindow(2, "a"), TypeError),
    (lambda: text.Vocab.from_file(1), TypeError), (lambda: text.Vocab.from_list(["a"]).tokens_to_ids([1]), TypeError),
    (lambda: text.Vocab.from_list(["a"]).ids_to_tokens(-1), ValueError), (lambda: text.Vocab.from_list(["a"]).ids_to_tokens([1.5]), TypeError),
    (lambda: text.Vocab.from_dataset(ds.NumpySlicesDataset(["a"], ["t"]), "t", (3, 2)), ValueError),
    (lambda: text.Vocab.from_dataset(ds.NumpySlicesDataset(["a"], ["t"]), "t", None, 0), ValueError)])
def test_arguments(make, error):
    with pytest.raises(error):
        make()
