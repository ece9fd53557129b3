/**
 * The parser from text to syntax tree. Only this package uses the ANTLR code generated below it.
 */
@NullMarked
package io.retroscope.rql.parser;

import org.jspecify.annotations.NullMarked;
