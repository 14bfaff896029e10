/**
 * A stand-in for `node:test` that only collects: the caller runs the tests and receives the outcomes.
 *
 * @returns {{ exports: object, run(each: Reporter): Promise<void>, names(): string[] }}
 * @typedef {{ started?(name: string): void, ended(name: string, thrown?: { error: unknown }): void }} Reporter
 */
export function collectTests() {
  const tests = []
  const titles = []
  const test = (name, ...rest) => {
    tests.push({ name: [...titles, name].join(' > '), body: rest.at(-1) })
  }
  const describe = (name, ...rest) => {
    titles.push(name)
    rest.at(-1)()
    titles.pop()
  }
  const exports = { test, it: test, describe, suite: describe }
  return {
    exports: Object.freeze({ ...exports, default: Object.freeze(Object.assign(test, exports)) }),
    names: () => tests.map(({ name }) => name),
    async run({ started, ended }) {
      for (const { name, body } of tests) {
        started?.(name)
        let thrown
        try {
          await body()
        } catch (error) {
          thrown = { error }
        }
        ended(name, thrown)
      }
    },
  }
}
