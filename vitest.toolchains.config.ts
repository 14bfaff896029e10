import { defineConfig } from 'vitest/config'
import base from './vitest.config.js'

/** Judges and sandboxes against the tools of the machine. It downloads, so it is no part of `npm test`. */
export default defineConfig({
  ...base,
  test: {
    include: ['tests/toolchains/*.toolchain.ts'],
    globalSetup: ['tests/toolchains/kit/install.ts'],
    // One tool at a time: each takes the processors for itself.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 600_000,
    reporters: ['verbose'],
  },
})
