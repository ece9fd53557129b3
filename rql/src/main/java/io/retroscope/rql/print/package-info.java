/** Printers of results as text: tables, records, CSV, JSON and charts. */
@NullMarked
package io.retroscope.rql.print;

import org.jspecify.annotations.NullMarked;
