import { postgresStore } from '@jurist/distributed/postgres'
import { fileStore } from '@jurist/experiment/store'

/** The store in a directory, or at the address of a database. */
export function openStore(place) {
  return place.startsWith('postgres://') ? postgresStore(place) : fileStore(place)
}
