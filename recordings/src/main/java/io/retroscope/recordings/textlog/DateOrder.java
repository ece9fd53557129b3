// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

/** The order of the parts of a date such as 03/04/05 within one file. */
enum DateOrder {
  /** Year, month, day; month, day, year if the year has four digits. */
  YEAR_FIRST,
  MONTH_FIRST,
  DAY_FIRST
}
