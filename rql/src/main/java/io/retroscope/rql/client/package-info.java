/**
 * Sessions that run statements: on a log server over HTTP, or on a file that is read into memory.
 */
@NullMarked
package io.retroscope.rql.client;

import org.jspecify.annotations.NullMarked;
