import type { Judge } from '@jurist/core'
import {
  conversationCriteria,
  goalReached,
  keepsRole,
  notAsked,
  relevantTurns,
  remembers,
} from '@jurist/core/conversation'
import { correctness, criteria, gEval, pairwise, rubric, semanticDiff } from '@jurist/core/llm'
import {
  answerRelevance,
  contextPrecision,
  contextRecall,
  contextualRelevance,
  faithfulness,
  hallucination,
} from '@jurist/core/rag'
import { toolCriteria } from '@jurist/core/tools'

type ModelBase = Parameters<typeof correctness>[0]

/** A built-in judge by a model, with answers by which it passes and fails, in the order of its calls. */
export interface ModelJudgeCase {
  readonly name: string
  readonly make: (base: ModelBase) => Judge
  readonly passing: readonly string[]
  readonly failing: readonly string[]
}

/** The verdict on the one turn of the agent. */
const ofTurns = {
  passing: ['{"verdicts": [{"turn": 2, "holds": "yes", "why": "it does"}]}'],
  failing: ['{"verdicts": [{"turn": 2, "holds": "no", "why": "it does not"}]}'],
}

const judges: Record<string, Omit<ModelJudgeCase, 'name'>> = {
  correctness: { make: correctness, passing: ['Answer: YES'], failing: ['Answer: NO'] },
  correctnessScored: {
    make: (base) => correctness({ ...base, threshold: 0.5 }),
    passing: ['Score: 8'],
    failing: ['Score: 2'],
  },
  criteria: {
    make: (base) => criteria({ ...base, criterion: 'It is polite.' }),
    passing: ['Answer: YES'],
    failing: ['Answer: NO'],
  },
  criteriaSampled: {
    make: (base) => criteria({ ...base, criterion: 'It is polite.', strictness: 3 }),
    passing: ['Answer: YES', 'Answer: NO', 'Answer: YES'],
    failing: ['Answer: NO', 'Answer: NO', 'Answer: NO'],
  },
  gEval: {
    make: (base) => gEval({ ...base, criteria: 'Is it clear?' }),
    passing: ['1. Read it.\n2. Score it.', 'Score: 9'],
    failing: ['1. Read it.\n2. Score it.', 'Score: 1'],
  },
  gEvalWithSteps: {
    make: (base) => gEval({ ...base, criteria: 'Is it clear?', steps: ['Read it.'] }),
    passing: ['Score: 9'],
    failing: ['Score: 1'],
  },
  pairwise: {
    make: pairwise,
    passing: ['Answer: A', 'Answer: B'],
    failing: ['Answer: B', 'Answer: A'],
  },
  rubric: {
    make: (base) => rubric({ ...base, criteria: [{ name: 'clear', description: 'It is clear.' }] }),
    passing: ['{"scores": [{"name": "clear", "score": 9}]}'],
    failing: ['{"scores": [{"name": "clear", "score": 1}]}'],
  },
  semanticDiff: {
    make: (base) => semanticDiff({ ...base, criteria: ['a.txt says b', 'nothing else changed'] }),
    passing: ['Answer: PASS', 'Answer: PASS'],
    failing: ['Answer: FAIL', 'Answer: FAIL'],
  },
  contextualRelevance: { make: contextualRelevance, passing: ['Answer: YES'], failing: ['Answer: NO'] },
  faithfulness: {
    make: faithfulness,
    passing: ['{"claims": ["it is so"]}', '{"verdicts": [{"claim": 0, "supported": "yes"}]}'],
    failing: ['{"claims": ["it is so"]}', '{"verdicts": [{"claim": 0, "supported": "unclear"}]}'],
  },
  faithfulnessSingle: {
    make: (base) => faithfulness({ ...base, mode: 'single' }),
    passing: ['Answer: YES'],
    failing: ['Answer: NO'],
  },
  answerRelevance: {
    make: answerRelevance,
    passing: ['{"claims": ["it is so"]}', '{"verdicts": [{"statement": 1, "relevant": "yes"}]}'],
    failing: ['{"claims": ["it is so"]}', '{"verdicts": [{"statement": 1, "relevant": "no"}]}'],
  },
  contextPrecision: {
    make: contextPrecision,
    passing: ['{"verdicts": [{"source": 1, "useful": "yes"}]}'],
    failing: ['{"verdicts": [{"source": 1, "useful": "no"}]}'],
  },
  contextRecall: {
    make: contextRecall,
    passing: ['{"claims": ["it is so"]}', '{"verdicts": [{"claim": 1, "supported": "yes"}]}'],
    failing: ['{"claims": ["it is so"]}', '{"verdicts": [{"claim": 1, "supported": "no"}]}'],
  },
  hallucination: { make: hallucination, passing: ['Answer: YES'], failing: ['Answer: NO'] },
  conversationCriteria: {
    make: (base) => conversationCriteria({ ...base, criterion: 'It is polite.' }),
    passing: ['Answer: YES'],
    failing: ['Answer: NO'],
  },
  goalReached: { make: goalReached, passing: ['Answer: YES'], failing: ['Answer: NO'] },
  keepsRole: { make: (base) => keepsRole({ ...base, role: 'A clerk.' }), ...ofTurns },
  relevantTurns: { make: relevantTurns, ...ofTurns },
  notAsked: { make: (base) => notAsked({ ...base, what: 'a password' }), ...ofTurns },
  remembers: {
    make: (base) => remembers({ ...base, facts: ['The order is 7.'] }),
    passing: ['{"facts": [{"fact": 1, "kept": "yes", "why": "it is used"}]}'],
    failing: ['{"facts": [{"fact": 1, "kept": "asked-again", "why": "it asks for it"}]}'],
  },
  toolCriteria: { make: toolCriteria, passing: ['Answer: YES'], failing: ['Answer: NO'] },
}
/** All of them, in all their modes. */
export const everyModelJudge: readonly ModelJudgeCase[] = Object.entries(judges).map(([name, entry]) => ({
  name,
  ...entry,
}))
