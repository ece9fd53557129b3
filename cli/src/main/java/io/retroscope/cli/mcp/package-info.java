/** Reading steps for programs that follow the Model Context Protocol, such as agents. */
@NullMarked
package io.retroscope.cli.mcp;

import org.jspecify.annotations.NullMarked;
