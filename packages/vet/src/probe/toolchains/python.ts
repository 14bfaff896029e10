import { rewrite, type Toolchain } from '../toolchain.js'

const test = /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$|(?:^|\/)tests?\/[^/]*\.py$/

/** Python: pytest and unittest. */
export const python: Toolchain = {
  language: 'python',
  isSource: (path) => path.endsWith('.py'),
  isTest: (path) => test.test(path),
  tricks: {
    'exit-on-load': {
      needs: 'sources',
      act: (site) => rewrite(site, site.sources, (text) => `import os\nos._exit(0)\n${text}`),
    },
  },
}
