// SPDX-License-Identifier: Apache-2.0
/**
 * Printers of results as text: tables, records, CSV, JSON and charts.
 *
 * <p>{@link io.retroscope.rql.print.OutputFile} writes the files that users name.
 */
@NullMarked
package io.retroscope.rql.print;

import org.jspecify.annotations.NullMarked;
