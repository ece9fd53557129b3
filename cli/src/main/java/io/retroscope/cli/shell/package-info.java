/** The shell: it reads statements and prints tables, charts and errors. */
@NullMarked
package io.retroscope.cli.shell;

import org.jspecify.annotations.NullMarked;
