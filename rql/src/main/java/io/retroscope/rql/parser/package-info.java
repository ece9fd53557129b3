/** Text to syntax tree. The generated ANTLR code below it is seen by nothing else. */
@NullMarked
package io.retroscope.rql.parser;

import org.jspecify.annotations.NullMarked;
