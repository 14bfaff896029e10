import { codeLanguage } from '../code-languages.js'
import type { Toolchain } from './toolchain.js'

/** Every toolchain that probes know. Most workspaces have one language: the tricks of the others are not loaded. */
export const toolchains: readonly Toolchain[] = [
  { ...codeLanguage('javascript'), tricks: async () => (await import('./toolchains/javascript.js')).javascriptTricks },
  { ...codeLanguage('python'), tricks: async () => (await import('./toolchains/python.js')).pythonTricks },
  { ...codeLanguage('java'), tricks: async () => (await import('./toolchains/java.js')).javaTricks },
  { ...codeLanguage('go'), tricks: async () => (await import('./toolchains/go.js')).goTricks },
  { ...codeLanguage('rust'), tricks: async () => (await import('./toolchains/rust.js')).rustTricks },
]
