/** A browser for tests of pages. */
@NullMarked
package io.retroscope.contract.browser;

import org.jspecify.annotations.NullMarked;
