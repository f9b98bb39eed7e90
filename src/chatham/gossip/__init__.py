"""Gossip without any centre: agents average their statistics with neighbours, and reach one model.

Colin and Dupuy (2016), "Decentralized topic modelling with latent Dirichlet allocation".
"""

from chatham.gossip.agent import GibbsAgents
from chatham.gossip.graph import (
    Graph,
    complete,
    edge_list,
    grid,
    neighbour_lists,
    ring,
    watts_strogatz,
)
from chatham.gossip.schedule import Schedule, uniform_edges, waking_neighbourhoods, waking_nodes
from chatham.gossip.simulator import Simulation
from chatham.learners.online_lda import step_size

__all__ = [
    "GibbsAgents",
    "Graph",
    "Schedule",
    "Simulation",
    "complete",
    "edge_list",
    "grid",
    "neighbour_lists",
    "ring",
    "step_size",
    "uniform_edges",
    "waking_neighbourhoods",
    "waking_nodes",
    "watts_strogatz",
]
