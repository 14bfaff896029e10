import { defineConfig } from 'vitest/config'
import base from '../../../vitest.config.js'

/** Makes the pictures of `docs/screenshots`. */
export default defineConfig({
  ...base,
  test: { include: ['tests/e2e/page/screenshots.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
})
