/** The shell: statements in, tables, charts and errors out. */
@NullMarked
package io.retroscope.rql.shell;

import org.jspecify.annotations.NullMarked;
