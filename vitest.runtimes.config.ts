import { mergeConfig } from 'vitest/config'
import base from './vitest.config.js'

/** The built packages in other JavaScript runtimes, 200 MB from the registry, so it is no part of `npm test`. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  { test: { include: ['tests/runtimes/*.runtimes.ts'], globalSetup: [] } },
)
