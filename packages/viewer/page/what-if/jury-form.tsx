import type { Json } from '@jurist/core'
import type { OptionDescription } from '@jurist/core/internal'
import type { JSX } from 'preact'
import {
  completeOptions,
  isConfident,
  type JurySettings,
  policies,
  type StoredJury,
  voteDescription,
  voteNames,
} from '../../src/what-if/settings.js'
import { Select } from '../filters.js'
import { changeQuery } from '../router.js'

interface JuryProps {
  readonly jury: StoredJury
  readonly settings: JurySettings
}

/** The settings of one jury: its policy in a cascade, its vote, and the options that the vote declares. */
export function JuryForm({ jury, settings }: JuryProps): JSX.Element {
  const { name, policy } = jury
  return (
    <fieldset class="card">
      <legend>{name === '' ? 'The jury' : name}</legend>
      {policy === undefined || policy === 'final' ? null : (
        <Choice
          label="Policy"
          parameter={`policy:${name}`}
          value={settings.policy}
          stored={policy}
          values={policies.filter((one) => one !== policy)}
        />
      )}
      {isConfident(jury, settings) ? (
        <NumberField
          label="Confidence needed"
          hint="The tier decides from this confidence on. A certificate holds only for its own threshold."
          parameter={`confidence:${name}`}
          value={settings.confidence}
          stored={jury.confidence}
          minimum={0}
          maximum={1}
          step={0.01}
        />
      ) : (
        <>
          <Choice
            label="Vote"
            parameter={`vote:${name}`}
            value={settings.vote}
            stored={jury.strategy ?? 'unknown'}
            values={voteNames}
          />
          {jury.isRepeatable || settings.vote !== undefined ? (
            <VoteFields jury={jury} settings={settings} />
          ) : (
            <p class="quiet small">
              This run does not store the options of this vote. Choose a vote to see what it gives with other settings.
            </p>
          )}
        </>
      )}
    </fieldset>
  )
}

function VoteFields({ jury, settings }: JuryProps): JSX.Element | null {
  const description = voteDescription(settings.vote ?? jury.strategy)
  if (description === undefined) return null
  const stored = completeOptions(description, jury.options)
  return (
    <>
      {Object.entries(description.options).map(([option, declared]) => (
        <OptionField
          key={option}
          name={option}
          option={declared}
          parameter={`${option}:${jury.name}`}
          value={settings.options?.[option]}
          stored={stored[option]}
        />
      ))}
      {description.usesWeights
        ? [...jury.members].map(([member, weight]) => (
            <NumberField
              key={member}
              label={`Weight of ${member}`}
              parameter={`weight:${jury.name}/${member}`}
              value={settings.weights?.[member]}
              stored={weight}
              minimum={0}
              step={1}
            />
          ))
        : null}
    </>
  )
}

function OptionField(props: {
  readonly name: string
  readonly option: OptionDescription
  readonly parameter: string
  readonly value: Json | undefined
  readonly stored: Json | undefined
}): JSX.Element {
  const { schema = {}, description } = props.option
  const { name, parameter, value, stored } = props
  const { enum: values, type, minimum, maximum } = schema
  const label = labelOf(name)
  if (Array.isArray(values))
    return (
      <Choice
        label={label}
        hint={description}
        parameter={parameter}
        value={textOf(value)}
        stored={textOf(stored) ?? ''}
        values={values.map(String)}
      />
    )
  if (type === 'number' || type === 'integer')
    return (
      <NumberField
        label={label}
        hint={description}
        parameter={parameter}
        value={numberOf(value)}
        stored={numberOf(stored)}
        minimum={numberOf(minimum)}
        maximum={numberOf(maximum)}
        step={type === 'integer' ? 1 : 0.05}
      />
    )
  return (
    <label title={description}>
      <span>{label}</span>
      <input
        type="text"
        value={textOf(value ?? stored) ?? ''}
        onChange={({ currentTarget: { value: typed } }) =>
          changeQuery({ [parameter]: typed === textOf(stored) ? undefined : typed })
        }
      />
    </label>
  )
}

/** Returns `minEligible` as `Min eligible`. */
function labelOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function textOf(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined
  return Array.isArray(value) ? value.join(', ') : String(value)
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function Choice(props: {
  readonly label: string
  readonly hint?: string
  readonly parameter: string
  readonly value: string | undefined
  readonly stored: string
  readonly values: readonly string[]
}): JSX.Element {
  const { label, hint, parameter, value, stored, values } = props
  return (
    <Select
      label={label}
      hint={hint}
      value={value ?? ''}
      options={[
        { value: '', text: stored === '' ? 'as stored' : `as stored: ${stored}` },
        ...values.map((one) => ({ value: one, text: one })),
      ]}
      onChange={(chosen) => changeQuery({ [parameter]: chosen })}
    />
  )
}

function NumberField(props: {
  readonly label: string
  readonly hint?: string
  readonly parameter: string
  readonly value: number | undefined
  readonly stored: number | undefined
  readonly minimum: number | undefined
  readonly maximum?: number | undefined
  readonly step: number
}): JSX.Element {
  const { label, hint, parameter, value, stored, minimum, maximum, step } = props
  return (
    <label title={hint}>
      <span>{label}</span>
      <input
        type="number"
        min={minimum}
        max={maximum}
        step={step}
        value={value ?? stored}
        onInput={({ currentTarget: { value: typed } }) => {
          // The field is empty while the reader replaces its value.
          if (typed !== '') changeQuery({ [parameter]: Number(typed) === stored ? undefined : typed })
        }}
        onBlur={({ currentTarget }) => {
          if (currentTarget.value === '') currentTarget.value = String(value ?? stored ?? '')
        }}
      />
    </label>
  )
}
