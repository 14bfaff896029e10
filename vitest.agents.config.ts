import { defineConfig } from 'vitest/config'
import base from './vitest.config.js'

/**
 * Real coding agents, driven by a scripted model on the loopback. It downloads hundreds of megabytes into the user's cache
 * directory, so it is no part of `npm test`.
 */
export default defineConfig({
  ...base,
  test: {
    include: ['tests/agents/*.agents.ts'],
    globalSetup: ['tests/agents/kit/install.ts'],
    // One agent at a time: each takes the processors for itself.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 600_000,
    reporters: ['verbose'],
  },
})
