import { JuristError } from '@jurist/core'
import { type Git, globMatcher } from '@jurist/workspace/internal'

/** Files that hold secrets wherever they are. */
const names: readonly string[] = [
  '**/.env',
  '**/.env.*',
  '**/*.{pem,key,p12,pfx,jks,keystore}',
  '**/id_{rsa,dsa,ecdsa,ed25519}',
  '**/{.netrc,.pgpass,.htpasswd,credentials.json,service-account*.json}',
]
const samples: readonly string[] = ['**/.env.{example,sample,template,dist,defaults,test}']

/** What keys of well-known services and private keys look like. */
const contents =
  '-----BEGIN [A-Z ]*PRIVATE KEY-----|_authToken=[A-Za-z0-9_-]{16}|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|sk-(ant-|proj-)?[A-Za-z0-9_-]{32}|xox[abp]-[0-9A-Za-z-]{20}'

/** Finds the files of commits that look like secrets. */
export type SecretFinder = (tree: {
  readonly commit: string
  readonly paths: readonly string[]
}) => Promise<readonly string[]>

/**
 * Finds secrets by the names of files and by their text.
 *
 * @param allowed globs of files that are none, such as keys of tests
 */
export async function secretFinder(git: Git, allowed: readonly string[]): Promise<SecretFinder> {
  const [isNamed, isSample] = [await globMatcher(names), await globMatcher([...samples, ...allowed])]
  return async function findSecrets({ commit, paths }) {
    const holding = await withKeys(git, commit)
    return [...new Set([...paths.filter(isNamed), ...holding])].filter((path) => !isSample(path)).sort()
  }
}

async function withKeys(git: Git, commit: string): Promise<readonly string[]> {
  try {
    const found = await git(['grep', '-l', '-I', '-z', '-E', '-e', contents, commit, '--'])
    return found.split('\0').flatMap((line) => (line === '' ? [] : [line.slice(commit.length + 1)]))
  } catch (thrown) {
    // `git grep` exits with 1 where it finds nothing, and says nothing then.
    if (JuristError.is(thrown, 'git-failed') && !/fatal|error/i.test(thrown.details.stderr)) return []
    throw thrown
  }
}
