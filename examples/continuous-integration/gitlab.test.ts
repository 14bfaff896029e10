import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../tests/structure/source.js'
import { checkoutOf, install, shell } from '../../tests/structure/workflow.js'

const file = join(root, 'examples/continuous-integration/gitlab.yml')
const { experiment } = parse(readFileSync(file, 'utf8')) as {
  experiment: { readonly script: readonly string[]; readonly after_script: readonly string[] }
}

/** A stand-in for the API of GitLab: it keeps what it was asked, and has the artifact that the default branch left. */
const curl = `#!/bin/sh
echo "$@" >> "$CURL_LOG"
case "$*" in *raw/baseline.jurist.tgz*) cp "$ARTIFACT" baseline.jurist.tgz;; esac
`

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jurist-gitlab-'))
  mkdirSync(join(directory, 'bin'))
  writeFileSync(join(directory, 'bin/curl'), curl)
  chmodSync(join(directory, 'bin/curl'), 0o755)
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Runs a pipeline: the script until a part fails, then what comes after it in a separate shell. */
async function pipeline(name: string, greeting: string, variables: Readonly<Record<string, string>>) {
  const checkout = checkoutOf(directory, name, greeting)
  const env = {
    PATH: `${join(directory, 'bin')}:${process.env.PATH}`,
    HOME: directory,
    GITHUB_ACTIONS: '',
    CURL_LOG: join(directory, `${name}.log`),
    ARTIFACT: join(directory, 'main/baseline.jurist.tgz'),
    CI_API_V4_URL: 'https://gitlab.example/api/v4',
    ...variables,
  }
  const [first = '', ...rest] = experiment.script
  const installed = await shell(first, checkout, env)
  expect(installed).toMatchObject({ code: 0 })
  install(checkout)
  const { code, text } = await shell(rest.join('\n'), checkout, env)
  const after = await shell(experiment.after_script.join('\n'), checkout, env)
  return { checkout, code, text: `${text}\n${after.text}` }
}

test('the default branch keeps its run as the baseline, and a merge request that is worse fails with a comment', async () => {
  const main = await pipeline('main', 'hello', {})
  expect([main.code, main.text]).toEqual([0, main.text])
  for (const name of ['baseline.jurist.tgz', 'report.xml', 'report.html'])
    expect(existsSync(join(main.checkout, name))).toBe(true)

  const worse = await pipeline('worse', 'goodbye', { CI_MERGE_REQUEST_IID: '7', GITLAB_TOKEN: 'token' })
  expect([worse.code, worse.text]).toEqual([1, worse.text])
  expect(readFileSync(join(worse.checkout, 'comparison.md'), 'utf8')).toMatch(/9 (worse|regressed)/)
  expect(readFileSync(join(directory, 'worse.log'), 'utf8')).toContain('merge_requests/7/notes')
})
