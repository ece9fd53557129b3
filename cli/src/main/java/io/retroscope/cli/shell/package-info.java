/** The shell: statements in, tables, charts and errors out. */
@NullMarked
package io.retroscope.cli.shell;

import org.jspecify.annotations.NullMarked;
