# Reads a specification and finds the size of every loop, from docs/notation.md alone.
#
# An entry of a row is a tuple: ('row', name), ('name', loop), ('fixed', at), ('index', name),
# ('affine', stride, over, dilation, kernel, offset, border, size) with no kernel where nothing slides, and no size where it
# is written; a border is a marker, and what is added before the axis and behind it;
# ('concat', parts) and ('merged', loops). A part is the name of a loop, or the size of a gap.
import json, re, sys
from math import prod

BATCH, INPUT, OUTPUT = range(3)

class Notation:
    """A specification with the sizes of its loops, for a case."""

    def __init__(self, case):
        self.numbers = dict(case['numbers'])
        self.indices = dict(case['indices'])
        self.sizes = {name: size for name, size in self.numbers.items()}
        self.rows = {}  # the sizes that a row variable takes
        self.fresh = 0
        text = case['spec']
        self.words = has_words(text)
        read, written = text.split('=>')
        slots = [self.slot(slot) for slot in read.split(';')]
        written = self.slot(written)
        assert len(slots) == len(case['shapes']), 'as many shapes as operands'
        for slot, shape in zip(slots, case['shapes']):
            for row, sizes in zip(slot, shape):
                self.take_row(row, sizes)
        # In memory: batch, output, input.
        flat = lambda slot: [self.spread(entry) for kind in (BATCH, OUTPUT, INPUT) for entry in slot[kind]]
        memory = lambda shape: [*shape[BATCH], *shape[OUTPUT], *shape[INPUT]]
        self.shapes = [memory(shape) for shape in case['shapes']]
        sized = lambda axis, size: (*axis, size) if axis[0] == 'affine' else axis
        self.operands = [
            [sized(*pair) for pair in zip(sum(flat(slot), []), shape, strict=True)]
            for slot, shape in zip(slots, self.shapes)]
        self.result = [sized(axis, None) for axis in sum(flat(written), [])]
        self.solve()
        self.groups = self.couple()
        self.result_shape = [self.size(axis, True) for axis in self.result]
        self.result_rank = [len(sum(map(self.spread, written[kind]), [])) for kind in range(3)]

    # Reading.

    def slot(self, text):
        batch, text = text.split('|') if '|' in text else ('', text)
        inputs, output = text.split('->') if '->' in text else ('', text)
        return [self.row(row, kind) for kind, row in enumerate((batch, inputs, output))]

    def row(self, text, kind):
        self.tokens = tokens(text, self.words)
        entries = []
        while self.tokens:
            entries.append(self.entry(kind))
            if self.peek() == ',':
                self.tokens.pop(0)
        return entries

    def peek(self):
        return self.tokens[0] if self.tokens else ''

    def entry(self, kind):
        token = self.tokens.pop(0)
        if token == '...':
            return ('row', kind)
        if token.startswith('..'):
            return ('row', token.strip('.'))
        if token.startswith('@'):
            return ('index', token[1:])
        if token == '(':
            loops = []
            while (token := self.tokens.pop(0)) != ')':
                if token.isdigit():
                    loops.append(self.own_loop(int(token)))
                elif token != ',':
                    loops.append(self.loop(token))
            return ('merged', loops)
        if self.peek() == '^':
            parts = [token]
            while self.peek() == '^':
                self.tokens.pop(0)
                parts.append(self.tokens.pop(0))
            return ('concat', [int(part) if part.isdigit() else part for part in parts])
        return self.sum(token)

    def sum(self, token):
        """Terms with `+` between them; a single one is mostly a name or a position."""
        over = kernel = None
        offset, computed = 0, False
        while True:
            number, label = 1, token
            if self.peek() == '*':
                computed = True
                self.tokens.pop(0)
                number = int(token) if token.isdigit() else self.numbers[token]
                label = self.tokens.pop(0)
            if label.isdigit():
                offset = int(label)
            else:
                term = (number, self.loop(label), self.border())
                if over is None:
                    over = term
                else:
                    kernel = term
            if self.peek() != '+':
                break
            computed = True
            self.tokens.pop(0)
            token = self.tokens.pop(0)
        if not computed:
            return ('fixed', offset) if over is None else ('name', over[1])
        if kernel and kernel[2][0]:
            over, kernel = kernel, over
        dilation, kernel_loop = kernel[:2] if kernel else (1, None)
        return ('affine', over[0], over[1], dilation, kernel_loop, offset, over[2])

    def border(self):
        marker, margins = '', [0, 0]
        while self.peek() in ('<', '~', '>', '='):
            marker += self.tokens.pop(0)
        if self.peek() == '[':
            margins = []
            while (token := self.tokens.pop(0)) != ']':
                if token.lstrip('-').isdigit():
                    margins.append(int(token))
            margins = [*margins, *margins][:2] if len(margins) == 1 else margins
        return (marker, *margins)

    def loop(self, label):
        return self.own_loop(None) if label == '_' else label

    def own_loop(self, size):
        self.fresh += 1
        name = f'_{self.fresh}'
        if size is not None:
            self.sizes[name] = size
        return name

    # Sizes.

    def take_row(self, row, sizes):
        taken = len(sizes) - sum(entry[0] != 'row' for entry in row)
        for place, entry in enumerate(row):
            if entry[0] == 'row':
                these = sizes[place:place + taken]
                assert self.rows.setdefault(entry[1], these) == these, 'one row, one shape'
                taken = 0
        assert taken == 0, 'an axis for every entry'

    def spread(self, entry):
        if entry[0] != 'row':
            return [entry]
        axes = []
        for place, size in enumerate(self.rows[entry[1]]):
            name = f'{entry[1]}.{place}'
            self.sizes[name] = size
            axes.append(('name', name))
        return axes

    def solve(self):
        equations = [pair for slot, shape in zip(self.operands, self.shapes) for pair in zip(slot, shape, strict=True)]
        for _ in range(len(self.sizes) + len(equations) + 1):
            for axis, size in equations:
                self.infer(axis, size)
        for name in (name for axis in self.result for name in loops_of(axis)):
            if name.startswith('_'):
                self.sizes.setdefault(name, 1)
        for axis, size in equations:
            found = self.size(axis, False)
            assert found in (None, size), f'{axis} is {found}, not {size}'
            if axis[0] in ('fixed', 'index'):
                assert (axis[1] if axis[0] == 'fixed' else self.indices[axis[1]]) < size, 'a position inside'

    def infer(self, axis, size):
        form = axis[0]
        known = self.sizes
        if form in ('name', 'index'):
            known.setdefault(axis[1], size)
        elif form in ('concat', 'merged'):
            parts = [part for part in axis[1] if isinstance(part, int) or part in known]
            rest = [part for part in axis[1] if part not in parts]
            values = [part if isinstance(part, int) else known[part] for part in parts]
            if len(rest) == 1:
                known[rest[0]] = size - sum(values) if form == 'concat' else size // prod(values)
        elif form == 'affine':
            _, stride, over, dilation, kernel, _, (marker, left, right), _ = axis
            last = size + left + right - 1
            if kernel is None or '=' in marker or kernel in known:
                known.setdefault(over, self.places(axis, size))
            elif over in known and marker == '<':
                known[kernel] = (last - stride * (known[over] - 1)) // dilation + 1

    def places(self, axis, size):
        """How many windows lie on an axis, one after another."""
        _, stride, _, dilation, kernel, _, (marker, left, right), _ = axis
        if kernel is None or '=' in marker:
            return -(-size // stride)
        span, count = dilation * (self.sizes[kernel] - 1) + 1, 0
        while True:
            at = count * stride - left
            less = stride - 1 if marker == '>' else 0
            if at + span > size + right + less or marker == '>' and at >= size:
                return count
            count += 1

    def size(self, axis, written):
        form = axis[0]
        if form == 'fixed':
            return axis[1] + 1 if written else None
        if form in ('name', 'index'):
            return self.sizes[axis[1]]
        if form == 'concat':
            return sum(part if isinstance(part, int) else self.sizes[part] for part in axis[1])
        if form == 'merged':
            return prod(self.sizes[part] for part in axis[1])
        _, stride, over, dilation, kernel, _, (marker, left, right), size = axis
        if size is not None:
            assert self.places(axis, size) == self.sizes[over], 'as many windows as fit'
            return size
        # What is written is filled.
        if kernel is None or '=' in marker:
            return stride * (self.sizes[over] - 1) + 1 if '~' in marker else stride * self.sizes[over]
        span = dilation * (self.sizes[kernel] - 1) + 1
        if marker == '>':
            span = max(span, 1 + right)
        return stride * (self.sizes[over] - 1) + span - left - right

    # Loops.

    def loops(self):
        """All names that loop, without those that alternate."""
        names = [name for slot in [*self.operands, self.result] for axis in slot for name in loops_of(axis)]
        alternating = {name for group in self.groups for name in group}
        return [name for name in dict.fromkeys(names) if name not in alternating]

    def couple(self):
        """Names that are in concatenations together, one of which runs at a time."""
        groups = []
        for slot in [*self.operands, self.result]:
            for axis in slot:
                if axis[0] == 'concat':
                    group = {part for part in axis[1] if not isinstance(part, int)}
                    touching = [other for other in groups if other & group]
                    groups = [other for other in groups if not other & group] + [group.union(*touching)]
        return [sorted(group) for group in groups]

    def choices(self):
        """Which of each group runs, in every combination."""
        choices = [()]
        for group in self.groups:
            choices = [(*choice, name) for choice in choices for name in group]
        return choices

    def present(self, slot, running):
        """Whether all that the axes of a slot need is running."""
        def runs(axis):
            if axis[0] == 'concat':
                return any(part in running for part in axis[1])
            return all(name in running for name in loops_of(axis))
        return all(map(runs, slot))

    def blocks(self):
        """The loops of each part of the product space in which something happens, and who takes part."""
        loops, seen = self.loops(), set()
        for choice in self.choices():
            running = [*loops, *choice]
            if not self.present(self.result, running):
                continue
            there = [place for place, slot in enumerate(self.operands) if self.present(slot, running)]
            assert len(there) in (0, 1, len(self.operands)), 'all operands or one of them'
            # What only those have that are not there does not run.
            slots = [self.result, *(self.operands[place] for place in there)]
            needed = {name for slot in slots for axis in slot for name in loops_of(axis)}
            running = [name for name in running if name in needed]
            if there and tuple(running) not in seen:
                seen.add(tuple(running))
                yield running, there

    def before(self, parts, name):
        """Where a part of a concatenation begins."""
        before = parts[:parts.index(name)]
        return sum(part if isinstance(part, int) else self.sizes[part] for part in before)


def loops_of(axis):
    form = axis[0]
    if form == 'name':
        return [axis[1]]
    if form in ('concat', 'merged'):
        return [part for part in axis[1] if not isinstance(part, int)]
    if form == 'affine':
        return [name for name in (axis[2], axis[4]) if name is not None]
    return []

def has_words(text):
    if re.search(r'[,*+^<(]|=(?!>)', text):
        return True
    rows = re.split(r'=>|->|;|\|', text)
    return any(re.search(r'\s', row.strip()) for row in rows)

def tokens(text, words):
    name = r'[^\W\d_]\w*' if words else r'[^\W\d_]'
    pattern = rf'\.\.\.|\.\.\w+\.\.|@{name}|{name}|_|-?\d+|[],*+^<~>=()[]'
    assert not re.sub(pattern, '', text).strip(), f'{text!r} has something else in it'
    return re.findall(pattern, text)

NEUTRAL = {'sum': 0.0, 'max': float('-inf'), 'min': float('inf')}

def answer(evaluate):
    """For each line a line: the shape, a colon and the elements; or what went wrong."""
    for line in sys.stdin:
        case = json.loads(line)
        try:
            is_whole = case.get('form', 'einsum') != 'einsum'
            result = whole(case) if is_whole else evaluate(Notation(case), case)
            result, scale = result if isinstance(result, tuple) else (result, 0)
            print(*result.shape, ':', *result.ravel().tolist(), ':', scale)
        except Exception as refusal:
            print(f'! {type(refusal).__name__}: {refusal}'.replace('\n', ' '))
