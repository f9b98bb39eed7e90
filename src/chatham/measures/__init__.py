"""Ways to tell whether a topic model is good, each openly defined and registered by name.

`evaluate` scores a model with all of them, `compare` ranks several. A measure is local statistics
plus a sum, as a learner is (`measure`); `registry` has them all. On the way from a model to a score
there are

- the `Subject` (`subject`): what is measured, a model as everyone who takes part knows it;
- a `Measure`, whose step runs where the documents are, in `rows`: a corpus, counts, or an
  `Evidence`, a corpus with its true weights. Of these a step reads `documents_at`, `weights_at` and
  `classes_at` (`evidence`);
- the sum of what all steps returned, which is all that the commons returns;
- the `Score` that the measure's `value` makes of it.

`evaluate` keeps documents as a `Source`, to see which measures they allow; no measure sees it.
"""

from chatham.measures.coherence.context import CV
from chatham.measures.coherence.embeddings import EmbeddingCoherence, read_vectors
from chatham.measures.coherence.pairwise import NPMI, UCI, ExpectedUMass, UMass
from chatham.measures.compare import compare, comparison, ranking
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.elsewhere.files import read_topics
from chatham.measures.evaluate import evaluate
from chatham.measures.evidence import Evidence, classes_at, documents_at, weights_at
from chatham.measures.held_out.completion import Completion
from chatham.measures.held_out.left_to_right import LeftToRight
from chatham.measures.held_out.perplexity import Perplexity
from chatham.measures.intrusion.tasks import topic_intrusion, word_intrusion
from chatham.measures.labels.accuracy import Accuracy
from chatham.measures.measure import Measure, Score, UndefinedError
from chatham.measures.registry import MEASURES
from chatham.measures.stability import stability, stability_across_seeds
from chatham.measures.subject import Subject
from chatham.measures.texts import TokenTexts

__all__ = [
    "CV",
    "MEASURES",
    "NPMI",
    "UCI",
    "Accuracy",
    "Completion",
    "EmbeddingCoherence",
    "Evidence",
    "ExpectedUMass",
    "LeftToRight",
    "Measure",
    "Perplexity",
    "Score",
    "Subject",
    "TokenTexts",
    "UMass",
    "UndefinedError",
    "as_subject",
    "classes_at",
    "compare",
    "comparison",
    "documents_at",
    "evaluate",
    "ranking",
    "read_topics",
    "read_vectors",
    "stability",
    "stability_across_seeds",
    "topic_intrusion",
    "weights_at",
    "word_intrusion",
]
