import { mergeConfig } from 'vitest/config'
import base from './vitest.config.js'

/** The tests of the commands once more, with the results of every project in PostgreSQL. */
export default mergeConfig(base, {
  test: {
    // These choose their stores themselves.
    exclude: ['packages/jurist/tests/{distributed,postgres,store}.test.ts'],
    env: { JURIST_TEST_RESULTS: 'postgres' },
  },
})
