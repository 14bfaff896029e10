import { rewrite, type Toolchain } from '../toolchain.js'

const source = /\.[cm]?[jt]sx?$/
const test = /(?:^|\/)(?:tests?|__tests__|specs?)\/.*\.[cm]?[jt]sx?$|[._-](?:test|spec)s?\.[cm]?[jt]sx?$/

/** JavaScript and TypeScript: `node --test`, Vitest, Jest and Mocha. */
export const javascript: Toolchain = {
  language: 'javascript',
  isSource: (path) => source.test(path) && !/\.d\.[cm]?ts$/.test(path),
  isTest: (path) => test.test(path),
  tricks: {
    'exit-on-load': {
      needs: 'sources',
      act: (site) => rewrite(site, site.sources, (text) => `process.exit(0)\n${text}`),
    },
  },
}
