/** The pages of the documentation as a static site. */
@NullMarked
package io.retroscope.dist.site;

import org.jspecify.annotations.NullMarked;
