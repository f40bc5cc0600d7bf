"""split: parts of a dataset without common rows."""
from .sources import Source
from .steps import Shuffle, Slice


def split(dataset, sizes, randomize):
    """Returns the parts that `sizes` asks for. Random parts are drawn once, not for each epoch."""
    if not isinstance(sizes, (list, tuple)) or not sizes:
        raise (ValueError if isinstance(sizes, (list, tuple)) else TypeError)(
            "[split] sizes, got %r, expected a list of numbers" % (sizes,))
    total = dataset.get_dataset_size()
    counts, start, parts = _part_sizes(sizes, total), 0, []
    shuffled = dataset
    if randomize and not isinstance(dataset, Source):
        shuffled = Shuffle(dataset, max(2, total), reshuffle=False)
    for count in counts:
        if isinstance(dataset, Source):
            parts.append(dataset.part(start, count, randomize))
        else:
            part = shuffled if not start else Slice(shuffled, start, None)
            parts.append(Slice(part, 0, count))
        start += count
    return parts


def _part_sizes(sizes, total):
    if all(isinstance(size, int) and not isinstance(size, bool) for size in sizes):
        if any(size <= 0 for size in sizes):
            raise ValueError("[split] sizes, got %s, expected positive ones" % list(sizes))
        if sum(sizes) != total:
            raise RuntimeError("[split] sum of sizes, got %d, expected %d, the number of rows" % (sum(sizes), total))
        return list(sizes)
    if not all(isinstance(size, float) for size in sizes):
        raise ValueError("[split] sizes, got %s, expected ints, or floats" % list(sizes))
    if any(not 0 < size <= 1 for size in sizes) or abs(sum(sizes) - 1) > 1e-9:
        raise ValueError("[split] sizes, got %s, expected shares that add up to 1" % list(sizes))
    counts = [int(round(size * total)) for size in sizes]
    if any(count == 0 for count in counts):
        raise RuntimeError("[split] sizes, got %s of %d rows, expected a row at least in each part" % (list(sizes), total))
    while sum(counts) != total:
        change = 1 if sum(counts) < total else -1
        place = next(i for i, count in enumerate(counts) if count + change > 0)
        counts[place] += change
    return counts
