import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { example, textOf } from './example.js'

/** The parts of a container that tests read. */
export interface Container {
  readonly image: string
  readonly args?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly livenessProbe?: { readonly exec?: { readonly command: readonly string[] } }
}

/** The parts of a manifest that tests read. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name?: string; readonly generateName?: string }
  readonly stringData?: Readonly<Record<string, string>>
  readonly spec?: { readonly completions?: number; readonly template?: { readonly spec: Pod } }
}

interface Pod {
  readonly containers: readonly [Container]
}

/** All manifests of the example. */
export const manifests: readonly Manifest[] = readdirSync(join(example, 'kubernetes')).flatMap((file) =>
  parseAllDocuments(textOf(`kubernetes/${file}`)).map((document) => document.toJS() as Manifest),
)

/** A manifest by its kind and name. */
export function manifestOf(kind: string, name: string): Manifest {
  const found = manifests.find(
    (one) => one.kind === kind && [one.metadata.name, one.metadata.generateName].includes(name),
  )
  if (found === undefined) throw new Error(`the example has no ${kind} ${name}`)
  return found
}

/** The only container of a manifest. */
export function containerOf({ spec }: Manifest): Container {
  if (spec?.template === undefined) throw new Error('it has no container')
  return spec.template.spec.containers[0]
}
