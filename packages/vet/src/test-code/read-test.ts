import { scriptTest } from './script-test.js'
import type { TestNode } from './test-node.js'

/** Whether tests of a file can be read, by its name. */
export function isReadableTest(path: string): boolean {
  return /\.(?:[cm]?[jt]sx?|py|java)$/.test(path)
}

/** Reads a file of tests in JavaScript, TypeScript, Python or Java; `undefined` if it does not parse. */
export async function readTest(path: string, source: string): Promise<TestNode | undefined> {
  try {
    if (path.endsWith('.py')) return await (await import('./python-test.js')).pythonTest(source)
    if (path.endsWith('.java')) return await (await import('./java-test.js')).javaTest(source)
    return isReadableTest(path) ? await scriptTest(source, path) : undefined
  } catch (thrown) {
    // It nests too deeply.
    if (thrown instanceof RangeError) return undefined
    throw thrown
  }
}
