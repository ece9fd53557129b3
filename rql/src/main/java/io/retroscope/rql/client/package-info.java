/** Where statements go: a log server over HTTP, or a file that is read into memory. */
@NullMarked
package io.retroscope.rql.client;

import org.jspecify.annotations.NullMarked;
