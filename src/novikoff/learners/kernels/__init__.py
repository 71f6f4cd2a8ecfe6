"""What the kernel machines share."""
