import { yamlOf } from './example.js'

/** The parts of a container that tests read. */
export interface Container {
  readonly image: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly livenessProbe?: { readonly exec?: { readonly command: readonly string[] } }
}

/** The parts of a manifest that tests read. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly stringData?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly completions?: number
    readonly template: { readonly spec: { readonly containers: readonly [Container] } }
  }
}

/** The manifests of the example. */
export const manifests = {
  results: yamlOf<Manifest>('kubernetes/results.yaml'),
  workers: yamlOf<Manifest>('kubernetes/workers.yaml'),
  submit: yamlOf<Manifest>('kubernetes/submit.yaml'),
} as const

/** The only container of a manifest. */
export function containerOf({ spec }: Manifest): Container {
  if (spec === undefined) throw new Error('it has no container')
  return spec.template.spec.containers[0]
}
