"""The file tree against a model: paths to values, without directories of its own, links or descriptors' cunning."""

from __future__ import annotations

import posixpath

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from engines.wasm.host.descriptors import O_CREAT, O_EXCL, O_RDWR, O_TRUNC, FileDescriptors
from engines.wasm.host.errno import Errno, ErrnoError
from engines.wasm.host.nodes import Directory, RegularFile
from engines.wasm.host.vfs import FileTree

BYTES_MAX = 200

NAMES = st.sampled_from(["a", "b", "c"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(lambda parts: "/w/" + "/".join(parts))
# The same place, written in another way.
SPELLINGS = st.sampled_from(
    [lambda p: p, lambda p: p.replace("/", "//"), lambda p: "/w/../" + p, lambda p: "/dev/.././" + p]
)
DATA = st.binary(max_size=40)


class Model:
    """Paths of directories, and paths of files with the number of their content."""

    def __init__(self) -> None:
        self.directories = {"/w"}
        self.names: dict[str, int] = {}
        self.contents: dict[int, bytearray] = {}

    def problem_above(self, path: str) -> Errno | None:
        above = posixpath.dirname(path)
        if above in self.directories:
            return None
        while above not in self.directories:
            if above in self.names:
                return Errno.ENOTDIR
            above = posixpath.dirname(above)
        return Errno.ENOENT

    def exists(self, path: str) -> bool:
        return path in self.directories or path in self.names

    def below(self, path: str) -> list[str]:
        return [each for each in (*self.directories, *self.names) if each.startswith(path + "/")]


class FileTreeMachine(RuleBasedStateMachine):
    """Each rule does one thing to both and compares the outcome, errors included."""

    def __init__(self) -> None:
        super().__init__()
        self.tree = FileTree(BYTES_MAX)
        self.tree.mkdirs("/w")
        self.nodes_at_start = self.tree.budget.nodes_used
        self.descriptors = FileDescriptors(self.tree, lambda _text: None, descriptors_max=7)
        self.model = Model()
        self.open: dict[int, tuple[int, int]] = {}  # descriptor -> content, offset
        self.contents = 0

    def outcome(self, call: object, *arguments: object) -> Errno | None:
        try:
            call(*arguments)  # type: ignore[operator]
        except ErrnoError as error:
            return error.errno
        return None

    def used(self) -> int:
        kept = set(self.model.names.values()) | {content for content, _ in self.open.values()}
        return sum(len(self.model.contents[content]) for content in kept)

    @rule(path=PATHS, spell=SPELLINGS)
    def mkdir(self, path: str, spell: object) -> None:
        model = self.model
        expected = model.problem_above(path) or (Errno.EEXIST if model.exists(path) else None)
        assert self.outcome(self.tree.mkdir, spell(path)) is expected  # type: ignore[operator]
        if expected is None:
            model.directories.add(path)

    @rule(path=PATHS)
    def rmdir(self, path: str) -> None:
        model = self.model
        expected = model.problem_above(path)
        if expected is None and path in model.names:
            expected = Errno.ENOTDIR
        elif expected is None and path not in model.directories:
            expected = Errno.ENOENT
        elif expected is None and model.below(path):
            expected = Errno.ENOTEMPTY
        assert self.outcome(self.tree.rmdir, path) is expected
        if expected is None:
            model.directories.remove(path)

    @rule(path=PATHS)
    def unlink(self, path: str) -> None:
        model = self.model
        expected = model.problem_above(path)
        if expected is None and path in model.directories:
            expected = Errno.EISDIR
        elif expected is None and path not in model.names:
            expected = Errno.ENOENT
        assert self.outcome(self.tree.unlink, path) is expected
        if expected is None:
            del model.names[path]

    @rule(old=PATHS, new=PATHS)
    def rename(self, old: str, new: str) -> None:
        expected = self.rename_problem(old, new)
        assert self.outcome(self.tree.rename, old, None, new, None) is expected
        if expected is not None or old == new:
            return
        model = self.model
        model.directories.discard(new)
        model.names.pop(new, None)
        for each in (old, *model.below(old)):
            moved = new + each[len(old) :]
            if each in model.directories:
                model.directories.remove(each)
                model.directories.add(moved)
            else:
                model.names[moved] = model.names.pop(each)

    def rename_problem(self, old: str, new: str) -> Errno | None:
        model = self.model
        if problem := model.problem_above(old):
            return problem
        if not model.exists(old):
            return Errno.ENOENT
        if problem := model.problem_above(new):
            return problem
        if old == new:
            return None
        if old in model.directories:
            if new.startswith(old + "/"):
                return Errno.EINVAL
            if new in model.names:
                return Errno.ENOTDIR
            return Errno.ENOTEMPTY if model.below(new) else None
        return Errno.EISDIR if new in model.directories else None

    @rule(
        path=PATHS, spell=SPELLINGS, flags=st.sampled_from([0, O_CREAT, O_CREAT | O_EXCL, O_TRUNC, O_CREAT | O_TRUNC])
    )
    def open_file(self, path: str, spell: object, flags: int) -> None:
        model = self.model
        expected: Errno | None = Errno.EMFILE if len(self.open) == 4 else model.problem_above(path)
        if expected is None and model.exists(path) and flags & O_EXCL:
            expected = Errno.EEXIST
        elif expected is None and path in model.directories:
            expected = Errno.EISDIR
        elif expected is None and path not in model.names and not flags & O_CREAT:
            expected = Errno.ENOENT
        opened: list[int] = []
        call = self.descriptors.open
        assert (
            self.outcome(lambda: opened.append(call(spell(path), O_RDWR | flags)))  # type: ignore[operator]
            is expected
        )
        if expected is not None:
            return
        if path not in model.names:
            self.contents += 1
            model.names[path] = self.contents
            model.contents[self.contents] = bytearray()
        elif flags & O_TRUNC:
            model.contents[model.names[path]].clear()
        assert opened[0] not in self.open
        self.open[opened[0]] = (model.names[path], 0)

    def pick(self, choice: int) -> int | None:
        return sorted(self.open)[choice % len(self.open)] if self.open else None

    @rule(choice=st.integers(0, 9))
    def close(self, choice: int) -> None:
        descriptor = self.pick(choice)
        if descriptor is not None:
            self.descriptors.close(descriptor)
            del self.open[descriptor]

    @rule(choice=st.integers(0, 9), data=DATA)
    def write(self, choice: int, data: bytes) -> None:
        descriptor = self.pick(choice)
        if descriptor is None:
            return
        content, offset = self.open[descriptor]
        stored = self.model.contents[content]
        grows = max(0, offset + len(data) - len(stored)) if data else 0
        expected = Errno.ENOSPC if self.used() + grows > BYTES_MAX else None
        file = self.descriptors.get(descriptor)
        assert self.outcome(self.descriptors.write, file, memoryview(data), offset) is expected
        if expected is None and data:
            stored.extend(bytes(max(0, offset - len(stored))))
            stored[offset : offset + len(data)] = data
            self.open[descriptor] = (content, offset + len(data))

    @rule(choice=st.integers(0, 9), count=st.integers(0, 60))
    def read(self, choice: int, count: int) -> None:
        descriptor = self.pick(choice)
        if descriptor is None:
            return
        content, offset = self.open[descriptor]
        got = bytes(self.descriptors.read(self.descriptors.get(descriptor), count, offset))
        assert got == bytes(self.model.contents[content][offset : offset + count])
        self.open[descriptor] = (content, offset + len(got))

    @rule(choice=st.integers(0, 9), offset=st.integers(0, 120))
    def seek(self, choice: int, offset: int) -> None:
        descriptor = self.pick(choice)
        if descriptor is not None:
            assert self.descriptors.seek(descriptor, offset, 0) == offset
            self.open[descriptor] = (self.open[descriptor][0], offset)

    @rule(choice=st.integers(0, 9), size=st.integers(0, 120))
    def truncate(self, choice: int, size: int) -> None:
        descriptor = self.pick(choice)
        if descriptor is None:
            return
        content = self.model.contents[self.open[descriptor][0]]
        expected = Errno.ENOSPC if self.used() - len(content) + size > BYTES_MAX else None
        node = self.descriptors.get(descriptor).node
        assert isinstance(node, RegularFile)
        assert self.outcome(node.truncate, size) is expected
        if expected is None:
            content[:] = content[:size] + bytes(max(0, size - len(content)))

    @invariant()
    def trees_are_equal(self) -> None:
        directories, files = set(), {}
        pending = ["/w"]
        while pending:
            path = pending.pop()
            node = self.tree.lookup(path)
            if isinstance(node, Directory):
                directories.add(path)
                pending += [f"{path}/{name}" for name in node.children]
            else:
                files[path] = bytes(self.tree.read(path))
        assert directories == self.model.directories
        assert files == {path: bytes(self.model.contents[number]) for path, number in self.model.names.items()}

    @invariant()
    def the_budget_is_right(self) -> None:
        assert self.tree.budget.bytes_used == self.used()
        contents = set(self.model.names.values()) | {content for content, _ in self.open.values()}
        nodes = len(self.model.directories) - 1 + len(contents)
        assert self.tree.budget.nodes_used - self.nodes_at_start == nodes


TestFileTree = FileTreeMachine.TestCase
TestFileTree.settings = settings(max_examples=60, stateful_step_count=40, deadline=None, derandomize=True)
