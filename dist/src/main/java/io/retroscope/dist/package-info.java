/** What the archives contain beside the command: files for shells and for the manual. */
@NullMarked
package io.retroscope.dist;

import org.jspecify.annotations.NullMarked;
