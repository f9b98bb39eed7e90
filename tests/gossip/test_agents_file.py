"""The agents' file: what is in it, and what is refused, in one sentence each."""

import tomllib

import pytest

from chatham.errors import SessionError
from chatham.gossip.agents_file import agents_of, read_agents, read_words
from tests.gossip.network import Network


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    return Network(tmp_path_factory.mktemp("agents"))


@pytest.fixture
def plain(network):
    return tomllib.loads(network.file.read_text("utf-8"))


def refused(plain):
    with pytest.raises(SessionError) as caught:
        agents_of(plain)
    return str(caught.value)


def test_a_file_is_read_as_it_was_written(network):
    again = read_agents(network.file)
    assert again == network.agents
    assert again.hash == network.agents.hash
    assert read_words(again, network.file) == network.words


def test_the_hash_is_of_everything_but_the_order(plain, network):
    turned = {**plain, "agent": plain["agent"][::-1]}
    assert agents_of(turned).hash == network.agents.hash
    for name, value in [("updates", 21), ("seed", 1), ("kappa", 0.6), ("private", True)]:
        assert agents_of({**plain, name: value}).hash != network.agents.hash


def test_agents_with_more_exchanges_make_more_updates_in_the_same_time(plain):
    star = {"a": ["b", "c", "d", "e"], "b": ["a"], "c": ["a"], "d": ["a"], "e": ["a"]}
    for each in plain["agent"]:
        each["neighbours"] = star[each["name"]]
    plan = agents_of({**plain, "updates": 100}).plan
    # p = (1 + Σ 1/d)/n: 1 for the hub, 1/4 for a leaf; their mean is 2/5.
    assert plan.updates == (250, 63, 63, 63, 63)
    assert plan.paces == pytest.approx((0.4, 1.6, 1.6, 1.6, 1.6))


def without(plain, agent, name):
    plain["agent"][agent]["neighbours"].remove(name)
    return plain


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda p: without(p, 0, "b"),
         "The agents' neighbours don't fit: Agent b lists a as a neighbour, but a doesn't list b; "
         "an edge must be listed on both sides, or on neither."),
        (lambda p: without(without(without(without(p, 0, "b"), 1, "a"), 2, "d"), 3, "c"),
         "The agents' neighbours don't fit: The graph is in 2 parts that can't reach each other "
         "(no path leads from agent a to agent b), so they would never agree; add edges between "
         "them."),
        (lambda p: p["agent"][0]["neighbours"].append("zoe"),
         "The agents' neighbours don't fit: Agent a lists zoe as a neighbour, who isn't among the "
         "agents; add zoe with a as a neighbour."),
        (lambda p: p["agent"][0]["neighbours"].append("b"),
         "Agent a lists a neighbour twice; list it once."),
        (lambda p: p["agent"][0]["neighbours"].append("a"),
         "The agents' neighbours don't fit: Agent a is listed as its own neighbour; leave that "
         "pair out."),
        (lambda p: p["agent"].append(p["agent"][0]),
         "Two parties have the same name or the same key."),
        (lambda p: p.update(format=2),
         "The agents' file is of format 2, and this version of Chatham reads format 1; install "
         "the version that the others have."),
        (lambda p: p.update(topic=3), "The agents' file has unknown fields: topic."),
        (lambda p: p.pop("words_sha256"), "The agents' file lacks words_sha256."),
        (lambda p: p.pop("agent"), "The agents' file lacks [[agent]]."),
        (lambda p: p.update(agent=[]), "The agents' file lacks [[agent]]."),
        (lambda p: p.update(agent=5), "The agents' file lacks [[agent]]."),
        (lambda p: p["agent"][0].pop("key"),
         "The agents' file has an agent with other fields than name, key, address, certificate "
         "and neighbours; give each of them."),
        (lambda p: p.update(agent=["a"]),
         "The agents' file has an agent with other fields than name, key, address, certificate "
         "and neighbours; give each of them."),
        (lambda p: p["agent"][0].update(neighbours=[1]),
         "neighbours must be a list of agents' names."),
        (lambda p: p.update(topics=0), "topics must be a whole number from 1 to 10000."),
        (lambda p: p.update(topics=True), "topics must be a whole number from 1 to 10000."),
        (lambda p: p.update(updates=0), "updates must be a whole number from 1 to 1000000."),
        (lambda p: p.update(burn_in=4),
         "burn_in must be less than sweeps: some sweeps must count."),
        (lambda p: p.update(alpha=[0.1]), "alpha must be one number, or one for each of 3 topics."),
        (lambda p: p.update(alpha=0.0), "alpha must be a number from 1e-37 to 1,000,000."),
        (lambda p: p.update(kappa=float("nan")), "kappa must be a number from 0 to 1,000,000."),
        (lambda p: p.update(kappa="fast"), "kappa must be a number from 0 to 1,000,000."),
        (lambda p: p.update(private=1), "private must be true or false."),
        (lambda p: p.update(id="us"), "id must be 32 hexadecimal digits, drawn for these agents."),
        (lambda p: p.update(words_sha256="?"),
         "words_sha256 must be the SHA-256 of the file of words, in hexadecimal."),
        (lambda p: p.update(words=""), "words must be the name of the file of words."),
    ],
)  # fmt: skip
def test_what_is_refused(plain, spoil, sentence):
    spoil(plain)
    assert refused(plain) == sentence


def test_masks_need_somebody_with_two_neighbours(plain):
    pair = [dict(each) for each in plain["agent"][:2]]
    pair[0]["neighbours"], pair[1]["neighbours"] = ["b"], ["a"]
    assert agents_of({**plain, "agent": pair}).graph.n == 2
    with pytest.raises(ValueError, match="No agent has two neighbours"):
        agents_of({**plain, "agent": pair, "private": True})


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"other\nwords\n", "isn't the list of words that the agents agreed on"),
        (None, "can't be read: No such file or directory."),
    ],
)
def test_other_words_are_refused_at_home(network, tmp_path, content, sentence):
    if content is not None:
        (tmp_path / "words.txt").write_bytes(content)
    with pytest.raises(SessionError) as caught:
        read_words(network.agents, tmp_path / "agents.toml")
    assert sentence in str(caught.value)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[[agent", b"a = " + b"[" * 5000])
def test_a_file_of_something_else_is_refused(tmp_path, content):
    (tmp_path / "agents.toml").write_bytes(content)
    with pytest.raises(SessionError, match="isn't an agents file"):
        read_agents(tmp_path / "agents.toml")
