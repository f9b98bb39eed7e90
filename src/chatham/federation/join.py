"""Take part in a session: from its file, a key and rows to a commons for any learner or measure.

Before anything leaves, a party is warned of what its sums could reveal, and two hashes are made
that it takes along: of its rows, which may not change within a session, and of what decides the
last bit of a product on its machine, since parties in which that differs compare their states
before each sum. Its folder is its own as long as it takes part. Before the first sum all parties
are asked whether totals could be subtracted from those of an earlier session (see `question`), and
each enters this one in its book.
"""

from __future__ import annotations

import platform
import warnings
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from importlib.metadata import version as version_of
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scipy.sparse as sp

from chatham.commons import Commons
from chatham.commons.interface import as_rows
from chatham.corpus import Corpus
from chatham.errors import InputError, SessionError
from chatham.federation.book import Book, Page
from chatham.federation.extra import need_federation
from chatham.federation.files import write_whole
from chatham.federation.locking import FolderLock
from chatham.federation.normed.linking import links_of
from chatham.federation.pinning import rows_hash
from chatham.federation.question import Past, ask
from chatham.federation.scores import ScoreRules
from chatham.federation.session import Session, read_session
from chatham.federation.tables import TableRules
from chatham.federation.words.rules import WordRules
from chatham.learners.documents import check_finite
from chatham.learners.small_parties import FEW_DOCUMENTS
from chatham.learners.weighted import Weighted
from chatham.notes import ChathamWarning
from chatham.version import version

if TYPE_CHECKING:
    from chatham.federation.normed.sum import NormedLinks
    from chatham.federation.party.connection import Connection, Progress
    from chatham.federation.party.party import Party

Tell = Callable[["Progress"], None]
Meet = Callable[[list[Any], bytes], Commons]
"""Makes a commons from the rows of each holder here and a hash of what they are about."""

DEPENDENCIES = ("numpy", "scipy", "scikit-learn", "numba", "llvmlite")


def join(
    session: str | Path | Session,
    rows: Any,
    *,
    key: str | Path,
    folder: str | Path,
    direct_key: str | Path | None = None,
    plain: bool = False,
    tell: Tell | None = None,
) -> Party:
    """Take part in a session with these rows: a commons for any learner or measure.

    `rows` is a matrix of counts whose columns mean the same at every party, or a corpus whose
    vocabulary is the same. `key` is the file that `chatham keygen` made, `folder` is where this
    party keeps its rounds and its ledger, and finds them again if it was stopped. With `plain` the
    ledger keeps what was sent, unmasked, for inspection here. If the session names addresses and
    certificates, the party has direct links for normed sums; `direct_key` is the private key for
    them, by default next to `key`. `close` closes them and leaves the folder, which is this
    party's alone until then; to join again in the same process takes it over.
    """
    session = session if isinstance(session, Session) else read_session(session)
    links = links_of(session, Path(key), None if direct_key is None else Path(direct_key))
    lock = FolderLock(Path(folder), take_over=True)
    connection, page = connect(session, rows, key=key, folder=folder, tell=tell)
    words = list(rows.vocabulary) if isinstance(rows, Corpus) else []
    about = about_this("\n".join(map(str, words)).encode())
    counts = rows.counts if isinstance(rows, Corpus) else as_rows(rows)
    meet = meeting(connection, folder, plain, links, page)
    party = meet([counts], about)
    party.lock, party.opening = lock, partial(begin, meet, page, counts.shape[0])
    return party


def begin(meet: Callable[..., Party], page: Page, documents: int) -> None:
    """Before the first sum: ask all whether they may go on, and enter the session in the book."""
    party = meet([Past(page.is_elsewhere, documents)], about_this(b"past"))
    ask(party, page.session.roster_changed_know)
    try:
        page.enter()
    except SessionError as refusal:
        party.refuse(refusal)
        raise


def connect(
    session: str | Path | Session,
    rows: Any,
    *,
    key: str | Path,
    folder: str | Path,
    tell: Tell | None = None,
) -> tuple[Connection, Page]:
    """My side of a session, and what my book says of it.

    The rows are only hashed: so that they can't change during it, and one by one for the book.
    """
    need_federation()
    from chatham.commons.secure.keys import Identity
    from chatham.federation.party.connection import Connection
    from chatham.federation.party.http_link import HttpLink

    session = session if isinstance(session, Session) else read_session(session)
    if isinstance(rows, Weighted):
        raise InputError(
            "Rows with weights can't take part in a session, whose parties would weight without "
            "knowing of it; join with the matrix alone."
        )
    rows = rows if isinstance(rows, Corpus) else as_rows(rows)
    check_finite(sp.csr_array(rows.counts if isinstance(rows, Corpus) else rows).data)
    tables = TableRules.of(session.tables)
    columns = tables.pinned(rows)
    identity = Identity.load(Path(key))
    check_own(Path(folder), session, identity.public)
    page = Book.beside(key, identity).page(session, rows)
    for concern in (*concerns(session, rows.shape[0]), *tables.concerns(rows), *page.concerns()):
        warnings.warn(concern, ChathamWarning, stacklevel=3)
    make_own(Path(folder), identity.public)
    numerics = _numerics()
    if session.promised is not None:
        stay_on_this_machine(Path(folder), numerics)
    connection = Connection(
        session,
        identity,
        HttpLink(session),
        Path(folder),
        corpus=rows_hash(rows, columns),
        numerics=numerics,
        tell=tell,
    )
    return connection, page


OWNER = "party"
"""Where a folder keeps the public key of the party whose it is."""


def check_own(folder: Path, session: Session, public: bytes) -> None:
    """Refuse the folder of another party: its ledger and its records are what that one sent."""
    file = folder / OWNER
    try:
        owner = file.read_text("utf-8", errors="replace").strip()
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise InputError(
            f"'{folder}' is not a folder: give one in which this party's records can be kept."
        ) from None
    except OSError as error:
        raise InputError(f"'{file}' can't be read: {error.strerror}.") from None
    if owner != public.hex():
        names = {member.key: member.name for member in session.parties}
        raise SessionError(
            f"'{folder}' is the folder of {names.get(owner, 'another party')}, and your key is "
            f"that of {names.get(public.hex(), 'another')}; give each party a folder of its own."
        )


def make_own(folder: Path, public: bytes) -> None:
    """Write whose folder it is."""
    if not (folder / OWNER).exists():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(folder / OWNER, public.hex().encode())


MACHINE = "machine"
"""Where a party of a private session keeps what kind of machine it began on."""


def stay_on_this_machine(folder: Path, numerics: bytes) -> None:
    """Refuse to go on with a private session on another kind of machine.

    Noise follows from the contribution to the last bit. Another machine may compute another last
    bit, and so send an open round again with other noise: of both totals together half of it is
    gone.
    """
    file = folder / MACHINE
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(file, numerics.hex().encode())
    elif file.read_bytes() != numerics.hex().encode():
        raise SessionError(
            "This party began the session on another kind of machine, or with other versions of "
            "libraries, and its noise would differ there, which breaks the session's privacy; go "
            "on where it began."
        )


def read_for(session: str | Path | Session, source: Any, **reading: Any) -> Corpus:
    """Read this party's documents as a session counts words, keeping all words.

    The other arguments are those of `read_corpus` that say where things are (`text`, `encoding`),
    or of `read_baskets` if the session is about items. How rare a word may be is decided together.
    """
    session = session if isinstance(session, Session) else read_session(session)
    return WordRules.of(session.vocabulary).read(source, reading)


def concerns(session: Session, documents: int) -> list[str]:
    """Warnings to a party before its sums leave, if there are any."""
    warned = []
    if documents < FEW_DOCUMENTS:
        warned.append(
            f"You have only {documents:,} documents. A sum hides one document among many: anyone "
            "who knows most of the other parties' documents, or takes part in two sessions that "
            "differ by yours, learns much about each of so few. Better join with more."
        )
    held_out = ScoreRules.of(session.score).number_of(documents)
    if 0 < held_out < FEW_DOCUMENTS <= documents:
        warned.append(
            f"{held_out:,} of your documents are held out, and a score is a sum over them: anyone "
            "who knows the other parties' learns how well the model does on so few of yours."
        )
    if len(session.parties) == 2:
        warned.append(
            "There are two parties: each can subtract its own contribution from a total and sees "
            "the other's sums, though no document."
        )
    return warned


def meeting(
    connection: Connection,
    folder: str | Path,
    plain: bool,
    links: NormedLinks | None = None,
    page: Page | None = None,
) -> Callable[..., Party]:
    """A function that makes a party from rows of any kind, one after another on one connection."""
    from chatham.federation.party.ledger import Ledger
    from chatham.federation.party.party import Party

    ledger = Ledger(Path(folder), plain=plain)

    def meet(rows: list[Any], about: bytes) -> Party:
        party = Party(rows[0], connection, ledger, about)
        party.links, party.page = links, page
        return party

    return meet


def about_this(subject: bytes) -> bytes:
    """A hash of a round's subject and our version: another version may compute something else."""
    return sha256(b"chatham " + version().encode() + b"\n" + subject).digest()


def _numerics() -> bytes:
    """A hash of what decides the last bit of a product: parties with equal ones need not check."""
    import llvmlite.binding
    import scipy.linalg  # noqa: F401  its BLAS counts too
    from threadpoolctl import threadpool_info

    blas = [(pool.get("architecture"), pool.get("version")) for pool in threadpool_info()]
    machine = (
        platform.system(),
        platform.machine(),
        platform.python_version(),
        llvmlite.binding.get_host_cpu_name(),
        [version_of(name) for name in DEPENDENCIES],
        sorted(map(str, blas)),
    )
    return sha256(repr(machine).encode()).digest()
