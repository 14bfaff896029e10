// A few cells of bench/null-comparisons.mjs, for the tests: seeded, so that every machine prints the same.
import { nullComparisons, nullSessions, power } from '../null-comparisons.mjs'

const kinds = ['normal', 'skewed', 'five points', 'rare']
const few = kinds.map((kind) => nullComparisons({ items: 10, repetitions: 3, kind }, 75))
const some = nullComparisons({ items: 40, repetitions: 1, kind: 'normal', undecided: 0.05 }, 75)
const session = nullSessions({ items: 15, repetitions: 3, kind: 'normal' }, 6, 40)
const found = power({ items: 40, repetitions: 5, kind: 'normal', gain: 0.1 }, 60)
console.log(JSON.stringify({ few, some, session, found }))
