"""Archives (.zip): files that are read where they are, and never unpacked to anywhere.

An archive is hostile until it is read: what its files unpack to together has limits, and archives
in it are refused. A file never unpacks to more than the archive announces, whatever is in it, so
that what is announced can be counted before anything is unpacked.
"""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Self

from chatham.corpus.readers.files import BLOCK, PACKED, File, check_unpacked_size
from chatham.errors import FileError

MOST_MEMBERS = 1_000_000
"""A member without content takes a hundred bytes of the file, and ten times that in memory."""

ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".tgz", ".bz2", ".zst")
NESTED = (*ARCHIVES, ".xlsx", *PACKED)

LONGEST_NAME = 200
"""That an error repeats; whoever made the archive chose it."""


class Archive:
    """An open .zip, whose members are read where they are."""

    def __init__(self, stream: BinaryIO, file: File, kind: str = ".zip") -> None:
        self._file, self._kind = file, kind
        self._packed = stream.seek(0, io.SEEK_END)
        stream.seek(0)
        try:
            self._zip = zipfile.ZipFile(stream)
        except Exception as error:
            raise self.damaged(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._zip.close()

    def members(self) -> list[Member]:
        """Its files, in the order of their names."""
        found = [each for each in self._zip.infolist() if not each.is_dir()]
        if len(found) > MOST_MEMBERS:
            raise FileError(
                f"The archive {self._file} has {len(found):,} files, and {MOST_MEMBERS:,} are the "
                "limit: unpack it yourself, and give the folder.",
                path=self._file.path,
            )
        members = [Member(self, each, self._file) for each in found]
        return sorted(members, key=lambda member: member.inner.parts)

    def check(self, members: Iterable[File]) -> None:
        """Refuse members that unpack to more than the limits; no more than announced ever comes."""
        announced = sum(member.size for member in members)
        check_unpacked_size(self._file.path, announced, self._packed)

    def blocks(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        """The bytes of a member, a block at a time."""
        if info.flag_bits & 1:
            raise FileError(
                f"The archive {self._file} is encrypted: unpack it yourself, and give the folder.",
                path=self._file.path,
            )
        try:
            with self._zip.open(info) as stream:
                while block := stream.read(BLOCK):
                    yield block
        except (
            OSError, EOFError, RuntimeError, ValueError, NotImplementedError, zipfile.BadZipFile,
            zlib.error, lzma.LZMAError,
        ) as error:  # fmt: skip
            raise self.damaged(error) from None

    def damaged(self, error: Exception) -> FileError:
        """The error of an archive that can't be read."""
        return FileError(
            f"The file {self._file} is damaged or isn't {self._kind} ({type(error).__name__}): "
            "open it with another program, or fetch it again.",
            path=self._file.path,
        )


class Member(File):
    """A file in an archive, whose `inner` name leads nowhere outside of it."""

    def __init__(self, archive: Archive, info: zipfile.ZipInfo, file: File) -> None:
        # Some programs on Windows write its own separators.
        self.inner = PurePosixPath(info.filename.replace("\\", "/"))
        super().__init__(Path(self.inner.name))
        self._archive, self._info, self._shown = archive, info, f"{self._safe_name} in {file}"
        if self.inner.is_absolute() or ".." in self.inner.parts:
            raise FileError(
                f"The archive {file} has a file whose name leads outside of it: unpack it with "
                "care, and give the folder.",
                path=file.path,
            )

    def __str__(self) -> str:
        return self._shown

    @property
    def name(self) -> str:
        """What notes call it."""
        return self._safe_name.rpartition("/")[2]

    @property
    def _safe_name(self) -> str:
        name = str(self.inner)
        if name.isprintable() and len(name) <= LONGEST_NAME:
            return name
        return f"(a file with a name of {len(name):,} characters)"

    @property
    def is_plain(self) -> bool:
        """It isn't on disk."""
        return False

    @property
    def size(self) -> int:
        """How large the archive says it is."""
        return self._info.file_size

    @property
    def is_archive(self) -> bool:
        """Whether its name says that it holds other files, or is packed once more."""
        return self.path.suffix.lower() in NESTED

    def measure(self) -> None:
        """The archive has been measured before."""

    def blocks(self) -> Iterator[bytes]:
        """Its bytes."""
        return self._archive.blocks(self._info)
